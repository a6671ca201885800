#include "dataset/repeated_audio.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "base/files.h"
#include "dataset/content_hash.h"

namespace qanat {
namespace {

struct FileContent {
  std::int64_t size = 0;
  std::optional<std::uint64_t> hash;
  std::uint32_t item = 0;

  auto key() const { return std::tuple(size, hash, item); }
};

bool is_of_size(const FileContent& a, const FileContent& b) {
  return a.size == b.size;
}

// Leaves only files that have a neighbour of the same size; sorted by size.
void keep_shared_sizes(std::vector<FileContent>& files) {
  std::ranges::sort(files, {}, &FileContent::key);
  std::vector<FileContent> shared;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool before = i > 0 && is_of_size(files[i - 1], files[i]);
    const bool after = i + 1 < files.size() && is_of_size(files[i], files[i + 1]);
    if (before || after) {
      shared.push_back(files[i]);
    }
  }
  files = std::move(shared);
}

}  // namespace

std::vector<RepeatedAudio> find_repeated_audio(const Manifest& manifest,
                                               const DatasetIndex& index,
                                               std::span<const std::uint32_t> items,
                                               const ParallelOptions& options) {
  std::vector<FileContent> files;
  for (const std::uint32_t item : items) {
    files.push_back({.size = index.entries[item].identity.size.value, .item = item});
  }
  keep_shared_sizes(files);
  for_each_item(files.size(), options, [&](int, std::size_t i) {
    const Utterance& utterance = manifest.utterances[files[i].item];
    if (const Result<std::string> bytes = read_text_file(audio_path(manifest, utterance))) {
      files[i].hash = content_hash(bytes.value());
    }
  });
  std::ranges::sort(files, {}, &FileContent::key);
  std::vector<RepeatedAudio> repeated;
  for (std::size_t first = 0, i = 1; i < files.size(); ++i) {
    if (files[i].hash && is_of_size(files[first], files[i]) && files[i].hash == files[first].hash) {
      repeated.push_back({.item = files[i].item, .first = files[first].item});
    } else {
      first = i;
    }
  }
  std::ranges::sort(repeated, {}, &RepeatedAudio::item);
  return repeated;
}

}  // namespace qanat
