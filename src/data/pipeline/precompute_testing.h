// For the tests of precompute: a small data set on disk and a source that makes up its features.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files.h"
#include "dataset/dataset_index.h"
#include "dataset/manifest.h"
#include "features/mel_config.h"
#include "pipeline/row_source.h"

namespace qanat {

inline constexpr std::uint32_t kTestMelBins = 4;

inline MelConfig test_mel() {
  MelConfig config;
  config.mel_bins = kTestMelBins;
  return config;
}

// Value i of the mel of an utterance with this text and audio size: every change shows.
inline float test_mel_value(std::size_t text_size, std::int64_t audio_size, std::size_t i) {
  return static_cast<float>(text_size) * 0.5F + static_cast<float>(audio_size) +
         static_cast<float>(i) / 256.0F;
}

// Utterances `utt-0` ... whose "audio" is a text file; the frames follow from the number.
class TestDataset {
 public:
  TestDataset(std::filesystem::path root, int num_utterances) {
    std::filesystem::create_directories(root);
    manifest_.root = std::move(root);
    for (int i = 0; i < num_utterances; ++i) {
      Utterance utterance;
      utterance.id = "utt-" + std::to_string(i);
      utterance.audio = utterance.id + ".wav";
      utterance.text = "text " + std::to_string(i);
      manifest_.utterances.push_back(utterance);
      std::ofstream(manifest_.root / utterance.audio) << utterance.id;
    }
    refresh();
  }

  // Measures all files again, as a new run of the program would.
  void refresh() {
    index_ = {};
    for (std::uint32_t i = 0; i < manifest_.utterances.size(); ++i) {
      const Utterance& utterance = manifest_.utterances[i];
      const Result<FileIdentity> identity = read_file_identity(manifest_.root / utterance.audio);
      IndexEntry entry{.samples = SampleCount{(5 + i % 7) * std::int64_t{test_mel().hop}},
                       .tokens = TokenCount{static_cast<std::int64_t>(utterance.text.size())},
                       .identity = identity ? identity.value() : FileIdentity{},
                       .usable = identity.ok()};
      index_.entries.push_back(entry);
      if (!identity) {
        index_.failures.push_back({.item = i, .reason = identity.failure().what});
      }
    }
  }

  Manifest& manifest() { return manifest_; }
  const Manifest& manifest() const { return manifest_; }
  const DatasetIndex& index() const { return index_; }
  std::filesystem::path audio(int item) const {
    return manifest_.root / manifest_.utterances[static_cast<std::size_t>(item)].audio;
  }

 private:
  Manifest manifest_;
  DatasetIndex index_;
};

// Counts what is asked of it; `on_fill` may fail or throw or do mischief.
class TestSource : public RowSource {
 public:
  using OnFill = std::function<Result<Done>(std::uint32_t item)>;

  explicit TestSource(const TestDataset& dataset, OnFill on_fill = {})
      : dataset_(dataset), on_fill_(std::move(on_fill)) {}

  std::unique_ptr<RowFiller> make_filler() const override;
  std::string describe(std::uint32_t item) const override {
    return dataset_.manifest().utterances[item].audio;
  }

  int num_filled() const { return num_filled_.load(); }

 private:
  class Filler;

  const TestDataset& dataset_;
  OnFill on_fill_;
  mutable std::atomic<int> num_filled_ = 0;
};

class TestSource::Filler : public RowFiller {
 public:
  explicit Filler(const TestSource& source) : source_(source) {}

  Result<FilledRow> fill(std::uint32_t item, const RowView& row) override {
    ++source_.num_filled_;
    if (source_.on_fill_) {
      if (const Result<Done> result = source_.on_fill_(item); !result) {
        return result.failure();
      }
    }
    const std::string& text = source_.dataset_.manifest().utterances[item].text;
    const auto size = std::filesystem::file_size(source_.dataset_.audio(static_cast<int>(item)));
    for (std::size_t i = 0; i < row.mel.size(); ++i) {
      row.mel[i] = test_mel_value(text.size(), static_cast<std::int64_t>(size), i);
    }
    for (std::size_t i = 0; i < row.tokens.size(); ++i) {
      row.tokens[i] = static_cast<unsigned char>(text[i]);
    }
    return FilledRow{.frames = static_cast<int>(row.mel.size() / kTestMelBins),
                     .tokens = static_cast<int>(row.tokens.size())};
  }

 private:
  const TestSource& source_;
};

inline std::unique_ptr<RowFiller> TestSource::make_filler() const {
  return std::make_unique<Filler>(*this);
}

}  // namespace qanat
