// The program is two: `qanat`, which starts at once, and `qanat-torch`, which has the commands that
// need libtorch. Loading libtorch takes half a second and three hundred libraries; nobody should
// wait that long for `qanat version`.
//
// `qanat train ...` becomes qanat-torch by exec(3): the same process, arguments, standard streams
// and signals, hence the same messages and exit codes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace qanat {

// A program that belongs to this one: beside it, as it is built, or in ../libexec/qanat, as it is
// installed. Nothing when it is in neither place.
std::optional<std::filesystem::path> find_companion(const std::string& name);

// Whether the program with libtorch is installed; a Python wheel has none.
bool has_torch_part();

// Whether the arguments ask for a command that is in the other program.
bool needs_torch_part(const std::vector<CommandEntry>& commands, int argc, char** argv);

// Sets what libtorch reads when it is loaded, unless the user has decided: ONEDNN_MAX_CPU_ISA, the
// best instruction set, and MKL_CBWR, that equal products have equal bits. Whether anything
// changed.
bool prepare_torch_environment();

// For a program that has loaded libtorch already: where the environment was not prepared, it starts
// over, once.
void restart_with_torch_environment(char** argv);

// Throws Error when a limit of the address space (`ulimit -v`, in bytes) is too small for libtorch.
void check_address_space(std::uint64_t limit);

// Becomes the other program. Returns only by throwing Error: it is not there, or cannot be run.
void become_torch_part(char** argv);

}  // namespace qanat
