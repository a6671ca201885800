// What the stream a person reads can show. Ask once per stream, pass the value on.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace qanat {

struct Terminal {
  bool interactive = false;  // lines can be rewritten in place
  int width = 80;            // columns
  bool color = false;
  bool unicode = false;  // UTF-8 text arrives as it was meant, so emoji and bars are fine

  bool operator==(const Terminal&) const = default;
};

// What STDOUT_FILENO or STDERR_FILENO is connected to, in this process's environment.
Terminal detect_terminal(int fd);

struct StreamFacts {
  bool is_terminal = false;
  std::optional<int> columns;  // unknown unless it is a terminal
};
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

// The rules of detect_terminal(), on facts handed in: NO_COLOR (when not empty) and TERM=dumb are
// honoured; LC_ALL, LC_CTYPE, LANG, the first that is not empty, decides about UTF-8.
Terminal describe_terminal(const StreamFacts& stream, const EnvironmentLookup& environment);

}  // namespace qanat
