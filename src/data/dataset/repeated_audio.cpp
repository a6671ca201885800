#include "dataset/repeated_audio.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/content_hash.h"
#include "base/files.h"

namespace qanat {
namespace {

// Nearly all files differ at their start; only those that start alike are read completely.
constexpr std::size_t kStart = std::size_t{16} << 10;

struct FileContent {
  std::uint64_t key = 0;  // of what is known so far: size, then start, then everything
  std::uint32_t item = 0;
  bool readable = true;
};

// Leaves only files that share their key with another; sorted by key, then item.
void keep_shared(std::vector<FileContent>& files) {
  std::erase_if(files, [](const FileContent& file) { return !file.readable; });
  std::ranges::sort(
      files, {}, [](const FileContent& file) { return std::pair(file.key, file.item); });
  std::vector<FileContent> shared;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool before = i > 0 && files[i - 1].key == files[i].key;
    const bool after = i + 1 < files.size() && files[i].key == files[i + 1].key;
    if (before || after) {
      shared.push_back(files[i]);
    }
  }
  files = std::move(shared);
}

// Up to `most` bytes of a clip in a container.
std::optional<std::string> read_stored(const ClipContainer& container,
                                       const ClipPlace& place,
                                       std::int64_t most) {
  const Result<StoredClip> clip = container.open(place);
  if (!clip) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(std::min(most, clip.value().size.value)), '\0');
  const Result<Done> read =
      read_clip(clip.value(), Bytes{0}, std::as_writable_bytes(std::span(bytes)));
  return read ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<std::string> read_start(const Manifest& manifest, const Utterance& utterance) {
  if (const ClipContainer* const container = container_of(manifest, utterance)) {
    return read_stored(*container, utterance.place, kStart);
  }
  std::ifstream file(audio_path(manifest, utterance), std::ios::binary);
  std::string bytes(kStart, '\0');
  if (!file) {
    return std::nullopt;
  }
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

std::optional<std::string> read_whole(const Manifest& manifest, const Utterance& utterance) {
  if (const ClipContainer* const container = container_of(manifest, utterance)) {
    return read_stored(*container, utterance.place, std::numeric_limits<std::int64_t>::max());
  }
  Result<std::string> bytes = read_text_file(audio_path(manifest, utterance));
  return bytes ? std::optional(std::move(bytes).value()) : std::nullopt;
}

}  // namespace

std::vector<RepeatedAudio> find_repeated_audio(const Manifest& manifest,
                                               const DatasetIndex& index,
                                               std::span<const std::uint32_t> items,
                                               const ParallelOptions& options) {
  std::vector<FileContent> files;
  for (const std::uint32_t item : items) {
    const std::int64_t size = index.entries[item].identity.size.value;
    files.push_back({.key = static_cast<std::uint64_t>(size), .item = item});
  }
  for (const auto read : {read_start, read_whole}) {
    keep_shared(files);
    for_each_item(files.size(), options, [&](int, std::size_t i) {
      const auto bytes = read(manifest, manifest.utterances[files[i].item]);
      files[i].readable = bytes.has_value();
      files[i].key = content_hash(bytes.value_or(""), files[i].key);
    });
  }
  if (options.stop.stop_requested()) {
    return {};  // keys of files that were not read mean nothing
  }
  keep_shared(files);
  std::vector<RepeatedAudio> repeated;
  for (std::size_t first = 0, i = 1; i < files.size(); ++i) {
    if (files[i].key == files[first].key) {
      repeated.push_back({.item = files[i].item, .first = files[first].item});
    } else {
      first = i;
    }
  }
  std::ranges::sort(repeated, {}, &RepeatedAudio::item);
  return repeated;
}

}  // namespace qanat
