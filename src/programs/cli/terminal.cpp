#include "cli/terminal.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace qanat {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

bool locale_is_utf8(const EnvironmentLookup& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = lower(environment(name).value_or(""));
    if (!value.empty()) {
      return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
  }
  return false;
}

}  // namespace

Terminal describe_terminal(const StreamFacts& stream, const EnvironmentLookup& environment) {
  const std::string kind = environment("TERM").value_or("");
  Terminal terminal;
  terminal.interactive = stream.is_terminal && !kind.empty() && kind != "dumb";
  terminal.width = std::max(stream.columns.value_or(terminal.width), 20);
  terminal.color = terminal.interactive && environment("NO_COLOR").value_or("").empty();
  terminal.unicode = kind != "dumb" && locale_is_utf8(environment);
  return terminal;
}

Terminal detect_terminal(int fd) {
  StreamFacts stream{.is_terminal = ::isatty(fd) == 1, .columns = std::nullopt};
  winsize size{};
  if (stream.is_terminal && ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    stream.columns = size.ws_col;
  }
  return describe_terminal(stream, [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

}  // namespace qanat
