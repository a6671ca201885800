// Files that come with the program, wherever it was put: beside it in a build or an unpacked
// archive (bin/qanat, share/qanat), further up in a package (libexec/qanat/qanat-torch,
// share/qanat).
#pragma once

#include <filesystem>
#include <string_view>

namespace qanat {

// Where the program that runs is; empty where the system does not say.
std::filesystem::path program_folder();

// share/qanat/NAME above the folder of a program. Where there is none: where it would be beside the
// program, for messages; empty for a folder that is not known.
std::filesystem::path shared_file(std::string_view name, const std::filesystem::path& program);

// Weights to begin with, which also speak: a checkpoint with its vocoder beside it.
std::filesystem::path start_weights(const std::filesystem::path& program = program_folder());

// The word that users write for them where a checkpoint is expected; a folder of that name is
// meant by ./start.
inline constexpr std::string_view kStartWord = "start";

}  // namespace qanat
