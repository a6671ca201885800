// A data set with damaged files of ten kinds, as users have them, loaded for whole epochs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "base/error.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr int kDamageUtterances = 500;  // ten damaged ones are 2 %

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

struct WavForm {
  std::uint16_t format = 1;  // 3: float
  std::uint16_t channels = 1;
  std::uint32_t rate = 22050;
  std::uint16_t bits = 16;
};

std::string wav_bytes(const WavForm& form, const std::string& samples) {
  const auto size = static_cast<std::uint32_t>(samples.size());
  const auto frame = static_cast<std::uint16_t>(form.channels * form.bits / 8);
  std::string bytes = "RIFF";
  put(bytes, size + 36);
  bytes += "WAVEfmt ";
  put(bytes, std::uint32_t{16});
  put(bytes, form.format);
  put(bytes, form.channels);
  put(bytes, form.rate);
  put(bytes, form.rate * frame);
  put(bytes, frame);
  put(bytes, form.bits);
  bytes += "data";
  put(bytes, size);
  return bytes + samples;
}

std::string wav_tone(int number, std::size_t samples = 6'800) {
  std::string bytes;
  for (std::size_t i = 0; i < samples; ++i) {
    const double phase = static_cast<double>(i) * 0.001 * (number % 90 + 10);
    put(bytes, static_cast<std::int16_t>(8'000 * std::sin(phase)));
  }
  return bytes;
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Damage {
  const char* name;
  std::function<void(const fs::path&)> apply;
  bool usable = false;  // strange, but it can be loaded
};

std::string with_byte(std::string bytes, std::size_t at, char value) {
  bytes[at] = value;
  return bytes;
}

std::array<Damage, 10> ten_kinds() {
  const std::string good = wav_bytes({}, wav_tone(1));
  std::string not_numbers;
  for (int i = 0; i < 6'800; ++i) {
    put(not_numbers, std::numeric_limits<float>::quiet_NaN());
  }
  const auto writes = [](std::string bytes) {
    return [bytes = std::move(bytes)](const fs::path& path) { write_bytes(path, bytes); };
  };
  return {
      {{"truncated", writes(good.substr(0, 3'000))},
       {"zero bytes", writes("")},
       {"text renamed .wav", writes("Once upon a time there was a voice.")},
       {"sizes beyond the end", writes(with_byte(good, 43, '\x7f'))},
       {"samples that are no numbers", writes(wav_bytes({.format = 3, .bits = 32}, not_numbers))},
       {"0 channels", writes(with_byte(good, 22, '\0'))},
       {"192 kHz, 8 channels",
        writes(wav_bytes({.channels = 8, .rate = 192'000}, wav_tone(2, std::size_t{8} * 60'000))),
        true},
       {"not readable",
        [](const fs::path& path) { fs::permissions(path, fs::perms::none); },
        ::geteuid() == 0},  // root reads everything
       {"a directory",
        [](const fs::path& path) {
          fs::remove(path);
          fs::create_directory(path);
        }},
       {"a dangling link", [](const fs::path& path) {
          fs::remove(path);
          fs::create_symlink("nowhere.wav", path);
        }}}};
}

class LoaderDamageTest : public testing::Test {
 protected:
  LoaderDamageTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / "loader_damage_test" / test->name();
    fs::remove_all(root_);
    fs::create_directories(root_ / "wavs");
    std::ofstream manifest(root_ / "metadata.csv");
    for (int i = 0; i < kDamageUtterances; ++i) {
      write_bytes(wav(i), wav_bytes({}, wav_tone(i)));
      manifest << "clip" << i << "|hello\n";
    }
    config_.training.epochs = 2;
    config_.data.num_workers = 2;
    config_.data.train_data = root_.string();
    config_.data.cache_dir = (root_ / "cache").string();
    config_.pipeline.feature_cache = Megabytes{0};
    config_.pipeline.max_bad_fraction = 0.05;
  }
  LoaderDamageTest(const LoaderDamageTest&) = delete;
  LoaderDamageTest& operator=(const LoaderDamageTest&) = delete;
  ~LoaderDamageTest() override { fs::remove_all(root_); }

  fs::path wav(int number) const {
    return root_ / "wavs" / ("clip" + std::to_string(number) + ".wav");
  }

  // One file in fifty, one of each kind. Returns those that cannot be loaded.
  std::set<std::string> damage_ten() {
    std::set<std::string> bad;
    int number = 7;
    for (const Damage& damage : ten_kinds()) {
      damage.apply(wav(number));
      if (!damage.usable) {
        bad.insert(wav(number).string());
      }
      number += 50;
    }
    return bad;
  }

  void damage_third() {
    for (int i = 0; i < kDamageUtterances; i += 3) {
      write_bytes(wav(i), "broken");
    }
  }

  LoaderRequest request() {
    const auto text = std::make_shared<const TextFrontEnd>();
    const auto options = make_training_set_options(config_, read_host_facts());
    const auto set = std::make_shared<const UtteranceSet>(
        *load_utterance_set(root_, options, make_index_sources(*text, kMel.sample_rate)));
    return {.set = set, .text = text, .journal = &journal_};
  }

  // Rows of whole epochs; every batch is full of real rows.
  std::int64_t rows_of_all(Loader& loader) {
    std::int64_t rows = 0;
    while (const auto batch = loader.next()) {
      EXPECT_GT(batch->rows(), 0);
      EXPECT_TRUE(std::ranges::all_of(batch->mel_lengths(), [](int frames) { return frames > 0; }));
      rows += batch->rows();
    }
    return rows;
  }

  template <typename Event>
  std::set<std::string> files_told() const {
    std::set<std::string> files;
    for (const Event& event : journal_.events<Event>()) {
      files.insert(event.file);
      EXPECT_FALSE(event.reason.empty());
    }
    return files;
  }

  fs::path root_;
  RunConfig config_;
  EventList journal_;
};

TEST_F(LoaderDamageTest, DamageFoundWhileLoadingIsReplacedAndNamed) {
  LoaderRequest wanted = request();
  const std::set<std::string> bad = damage_ten();

  const auto loader = make_loader(config_, std::move(wanted));

  EXPECT_EQ(rows_of_all(*loader), 2 * kDamageUtterances);
  const std::set<std::string> told = files_told<BadUtterance>();
  EXPECT_TRUE(std::ranges::includes(told, bad));
  EXPECT_GE(loader->stats().bad, 2 * static_cast<std::int64_t>(bad.size()));
}

TEST_F(LoaderDamageTest, DamageFoundBeforeIsLeftOutOrReplacedAndNamed) {
  const std::set<std::string> bad = damage_ten();

  const auto loader = make_loader(config_, request());

  EXPECT_GE(rows_of_all(*loader), 2 * (kDamageUtterances - 10));
  std::set<std::string> told = files_told<BadUtterance>();
  told.merge(files_told<LeftOut>());
  EXPECT_TRUE(std::ranges::includes(told, bad));
}

TEST_F(LoaderDamageTest, AThirdDamagedWhileLoadingStopsTheRun) {
  LoaderRequest wanted = request();
  damage_third();
  const auto loader = make_loader(config_, std::move(wanted));

  EXPECT_THROW(rows_of_all(*loader), Error);
}

TEST_F(LoaderDamageTest, AThirdDamagedBeforeIsRefusedAtOnce) {
  damage_third();

  try {
    make_loader(config_, request());
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("167 of 500"), std::string::npos) << what;
    EXPECT_NE(what.find("qanat data check"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace qanat
