// Finds the audio file of a manifest row: by path, or by id with any extension that is supported.
//
// Each folder is listed once, so that a million rows do not cost millions of calls on a network
// file system. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace qanat {

struct AudioLocation {
  std::string id;                   // the name without `wavs/` and extension
  std::optional<std::string> path;  // relative to the root, or absolute; nothing: no such file
};

class AudioLocator {
 public:
  explicit AudioLocator(std::filesystem::path root) : root_(std::move(root)) {}

  // Failure: the name leaves the data set by `..`. An absolute path is accepted as it is.
  // Search order: the path itself; then the name in wavs/, in the root and in wav/, each with .wav,
  // .flac, .ogg, .mp3, in lower case, then in upper case.
  Result<AudioLocation> locate(std::string_view name);

  // The name without the extension of a format that is read.
  static std::string_view without_extension(std::string_view name);

  // Explains why locate() found no file for a name, in a row with that text: where the file is
  // instead, that the columns are swapped, or what was tried. The first call scans the data set.
  Message why_missing(std::string_view name, std::string_view text);

 private:
  // The names in one folder, as sorted hashes: 8 bytes per file. An unlikely collision is found
  // when the file is opened.
  struct Listing {
    std::vector<std::uint64_t> names;
    bool readable = false;
    int error = 0;  // errno, why it is not
  };

  // A file of that name in a format that is not read.
  std::optional<std::string> foreign_format(std::string_view name);
  std::optional<std::string> elsewhere(std::string_view stem);
  bool exists(const std::string& path);
  const Listing& listing(const std::string& folder);
  // A folder in which the file may be and that may not be looked into, if there is one.
  std::optional<std::string> forbidden_folder(std::string_view name);
  std::optional<std::string> find(std::string_view name, std::string_view stem);

  std::filesystem::path root_;
  std::unordered_map<std::string, Listing> listings_;
  // All audio files below the root, by name without extension; made when first asked for.
  std::optional<std::unordered_map<std::string, std::string>> everywhere_;
};

}  // namespace qanat
