// A small data set in a folder of its own and a single core, for tests of what runs on devices.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "audio/wav_writer.h"

namespace qanat {

// Lets this thread, and those it starts, use one core only: models then have one thread in every
// mode, and do not wait for one another on a machine that has other things to do.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &before_)) {
        CPU_SET(core, &one);
        break;
      }
    }
    sched_setaffinity(0, sizeof(one), &one);
  }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;
  ~OneCore() { sched_setaffinity(0, sizeof(before_), &before_); }

 private:
  cpu_set_t before_;
};

class SmallDataSet {
 public:
  explicit SmallDataSet(int utterances = 12) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::path(testing::TempDir()) / "session_test" / test->test_suite_name() /
            test->name();
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_ / "wavs");
    for (int i = 0; i < utterances; ++i) {
      const std::string name = "clip" + std::to_string(i);
      write_wav(root_ / "wavs" / (name + ".wav"), tone(i), SampleRate{22050});
    }
    write_manifest("metadata.csv", 0, utterances);
  }
  SmallDataSet(const SmallDataSet&) = delete;
  SmallDataSet& operator=(const SmallDataSet&) = delete;
  ~SmallDataSet() { std::filesystem::remove_all(root_); }

  // Rows of the clips [first, end), spoken by the speakers in turn; without any nobody is named.
  void write_manifest(const std::string& file,
                      int first,
                      int end,
                      const std::vector<std::string>& speakers = {}) const {
    std::ofstream manifest(root_ / file);
    for (int i = first; i < end; ++i) {
      manifest << "clip" << i << "|this is clip number " << i;
      if (!speakers.empty()) {
        manifest << "||" << speakers[static_cast<std::size_t>(i) % speakers.size()];
      }
      manifest << "\n";
    }
  }

  RunConfig config() const {
    RunConfig config;
    config.training.epochs = 2;
    config.data.batch_size = 4;
    config.data.train_data = root_.string();
    config.data.cache_dir = (root_ / "cache").string();
    config.pipeline.feature_cache = Megabytes{0};
    return config;
  }

  LoaderRequest request(EventSink* journal = nullptr) {
    if (!set_) {
      const TrainingSetOptions options = make_training_set_options(config(), read_host_facts());
      set_ = std::make_shared<const UtteranceSet>(
          *load_utterance_set(root_, options, make_index_sources(*text_, kMel.sample_rate)));
    }
    return {.set = set_, .text = text_, .journal = journal};
  }

 private:
  static std::vector<float> tone(int number) {
    std::vector<float> samples(static_cast<std::size_t>(12'000 + 300 * number));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i] = 0.3F * std::sin(static_cast<float>(i) * 0.01F * static_cast<float>(number + 3));
    }
    return samples;
  }

  std::filesystem::path root_;
  std::shared_ptr<const TextFrontEnd> text_ = std::make_shared<const TextFrontEnd>();
  std::shared_ptr<const UtteranceSet> set_;
};

}  // namespace qanat
