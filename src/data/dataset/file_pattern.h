// Names of files by patterns as shells and WebDataset have them: `*`, `?`, `[a-z]`, `{a,b}`,
// `{000..099}`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

// `x-{0..2}.tar` becomes three names, whether or not there are such files; 00 keeps its width. At
// most a million names; a pattern of more gives none.
std::vector<std::string> expand_braces(std::string_view pattern);

// Files that are there, sorted, each once. None where the pattern has no pattern in it.
std::vector<std::filesystem::path> files_of_pattern(const std::string& pattern);

}  // namespace qanat
