// The folder of a demo corpus: built beside its place, moved there when it is whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/files.h"

namespace qanat {

// Owner of <place>.part, emptied, with a subfolder wavs/, and of a lock on it: a second maker of
// the same corpus gets an Error. Gone with the object unless it was moved into place.
class PartFolder {
 public:
  explicit PartFolder(const std::filesystem::path& place);
  PartFolder(const PartFolder&) = delete;
  PartFolder& operator=(const PartFolder&) = delete;
  ~PartFolder();

  const std::filesystem::path& path() const { return path_; }
  // The place has to be free or an empty folder.
  void move_into_place();

 private:
  std::filesystem::path place_;
  std::filesystem::path path_;
  UniqueFd lock_;
  bool moved_ = false;
};

// Throws Error. Not synced: a corpus is made again faster than a disk syncs a thousand files, and
// one that lost some is recognised by find_demo_corpus().
void write_plain_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_plain_file(const std::filesystem::path& path, std::string_view text);

// What demo.json in a folder says, if its "settings" are those given and its audio is whole.
// Nothing if the folder is absent or empty; anything else in the place is an Error.
std::optional<nlohmann::json> find_demo_corpus(const std::filesystem::path& folder,
                                               const nlohmann::json& settings);

}  // namespace qanat
