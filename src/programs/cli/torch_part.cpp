#include "cli/torch_part.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

#include "locale/message_error.h"
#include "locale/messages/command_errors.h"

namespace qanat {
namespace {

constexpr const char* kTorchPart = "qanat-torch";
// The best instruction set that libtorch's oneDNN may use. Some virtual machines name AMX and do
// not have all of it: mixed precision ends with an illegal instruction there.
constexpr const char* kInstructionSet = "AVX512_CORE_BF16";
// MKL, where libtorch has it: otherwise the same product, made twice by several threads, need not
// have the same bits.
constexpr const char* kSameBits = "AUTO";

// What the program and its libraries take before they have done anything, with some room.
constexpr std::uint64_t kMinAddressSpace = std::uint64_t{2} << 30U;

bool asks_for(const CommandEntry& entry, const std::vector<std::string_view>& words) {
  const std::size_t space = entry.path.find(' ');
  if (space == std::string_view::npos) {
    return !words.empty() && words[0] == entry.path;
  }
  return words.size() > 1 && words[0] == entry.path.substr(0, space) &&
         words[1] == entry.path.substr(space + 1);
}

}  // namespace

std::optional<std::filesystem::path> find_companion(const std::string& name) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (problem) {
    return std::nullopt;
  }
  const std::filesystem::path folder = self.parent_path();
  for (const std::filesystem::path& candidate :
       {folder / name, folder.parent_path() / "libexec" / "qanat" / name}) {
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return std::nullopt;
}

bool has_torch_part() {
  return find_companion(kTorchPart).has_value();
}

bool needs_torch_part(const std::vector<CommandEntry>& commands, int argc, char** argv) {
  std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  while (words.size() > 1 && words.front() == "--lang") {  // may stand before the command
    words.erase(words.begin(), words.begin() + 2);
  }
  return std::ranges::any_of(commands, [&](const CommandEntry& entry) {
    return entry.make == nullptr && asks_for(entry, words);
  });
}

bool prepare_torch_environment() {
  const auto set = [](const char* name, const char* value) {
    return std::getenv(name) == nullptr && ::setenv(name, value, /*overwrite=*/0) == 0;
  };
  const bool limits =
      std::getenv("DNNL_MAX_CPU_ISA") == nullptr && set("ONEDNN_MAX_CPU_ISA", kInstructionSet);
  return set("MKL_CBWR", kSameBits) || limits;
}

void restart_with_torch_environment(char** argv) {
  std::error_code problem;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem && prepare_torch_environment()) {
    ::execv(self.c_str(), argv);
    // It cannot start over: a program that spins is better than none.
  }
}

// libtorch's linear algebra waits for ever for memory that it does not get, before main().
void check_address_space(std::uint64_t limit) {
  if (limit < kMinAddressSpace) {
    throw MessageError(
        msg::error_address_space{.limit = in_bytes(static_cast<double>(limit)),
                                 .needed = in_bytes(static_cast<double>(kMinAddressSpace))});
  }
}

void become_torch_part(char** argv) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0) {
    check_address_space(limit.rlim_cur);
  }

  const std::optional<std::filesystem::path> program = find_companion(kTorchPart);
  if (!program) {
    throw MessageError(msg::error_companion{.program = kTorchPart});
  }
  prepare_torch_environment();
  ::execv(program->c_str(), argv);
  throw MessageError(
      msg::error_not_run{.program = program->string(), .reason = system_reason(errno)});
}

}  // namespace qanat
