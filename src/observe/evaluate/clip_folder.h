// The audio files of a folder, by their names without extension.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace qanat {

// More than one path: several files have that name. Folders inside are not entered; files that are
// not audio by their extension do not count. Throws Error when the folder cannot be read.
std::map<std::string, std::vector<std::filesystem::path>> clips_in(
    const std::filesystem::path& folder);

}  // namespace qanat
