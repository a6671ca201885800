#include "checkpoint_files/folder_place.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kReplacedPrefix = ".replaced-";

bool has_renamed(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool has_exchanged(const fs::path& from, const fs::path& to) {
  constexpr unsigned kExchange = 1U << 1U;  // RENAME_EXCHANGE, which not every header has
  return ::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), kExchange) == 0;
}

bool says_unsupported(int error) {
  return error == EINVAL || error == ENOSYS || error == ENOTSUP || error == EOPNOTSUPP;
}

[[noreturn]] void refuse_place(const fs::path& to) {
  FileTrouble trouble{.path = to.string(), .action = FileAction::rename, .error = errno};
  std::string what = to_string(trouble);
  throw Error(Failure{.what = std::move(what), .trouble = std::move(trouble)});
}

void exchange_in_renames(const fs::path& from, const fs::path& to) {
  fs::path aside = to.parent_path() / kReplacedPrefix;
  aside += to.filename().string();
  std::error_code ignored;
  fs::remove_all(aside, ignored);
  if (!has_renamed(to, aside)) {
    refuse_place(to);
  }
  if (!has_renamed(from, to)) {
    const int error = errno;
    has_renamed(aside, to);
    errno = error;
    refuse_place(to);
  }
  has_renamed(aside, from);
}

}  // namespace

void put_in_place(const fs::path& from, const fs::path& to, Exchanging exchanging) {
  if (has_renamed(from, to)) {
    return;
  }
  if (errno != ENOTEMPTY && errno != EEXIST) {
    refuse_place(to);
  }
  if (exchanging == Exchanging::at_once) {
    if (has_exchanged(from, to)) {
      return;
    }
    if (!says_unsupported(errno)) {
      refuse_place(to);
    }
  }
  exchange_in_renames(from, to);
}

std::optional<fs::path> place_of_replaced(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(kReplacedPrefix)) {
    return std::nullopt;
  }
  return path.parent_path() / name.substr(kReplacedPrefix.size());
}

}  // namespace qanat
