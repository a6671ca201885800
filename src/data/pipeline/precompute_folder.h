// Where the features of a data set are kept when the user does not say: in a hidden folder of the
// data set, or, when that cannot be written, in the user's cache folder.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace qanat {

// In the order of preference.
std::vector<std::filesystem::path> feature_folders(const std::filesystem::path& data_root);

// Where to read: the first folder that has shards.
std::optional<std::filesystem::path> find_feature_folder(const std::filesystem::path& data_root);

// Where to write: the first that has shards, else the first at all, of those that can be written.
// Throws Error when there is none.
std::filesystem::path writable_feature_folder(const std::filesystem::path& data_root);

}  // namespace qanat
