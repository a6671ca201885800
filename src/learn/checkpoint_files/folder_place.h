// Puts a finished folder in the place of another, so that a crash loses neither.
#pragma once

#include <filesystem>
#include <optional>

namespace qanat {

// What the file system can do: NFS and some FUSE file systems cannot exchange two names at once.
enum class Exchanging { at_once, in_renames };

// Afterwards `to` is what `from` was; what was there before is under the name `from`, if there was
// anything. Where names cannot be exchanged at once, a crash may leave it under its name aside:
// see place_of_replaced(). Throws Error, everything being as it was.
void put_in_place(const std::filesystem::path& from,
                  const std::filesystem::path& to,
                  Exchanging exchanging = Exchanging::at_once);

// When `path` is what a crash left aside: the place it was taken from.
std::optional<std::filesystem::path> place_of_replaced(const std::filesystem::path& path);

}  // namespace qanat
