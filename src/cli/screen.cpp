#include "cli/screen.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal_text.h"

namespace qanat {

Screen::Screen(std::ostream& out, int input) : out_(out), input_(input) {
  termios settings{};
  if (::tcgetattr(input_, &settings) == 0) {
    before_ = settings;
    settings.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    ::tcsetattr(input_, TCSANOW, &settings);
  }
  out_ << Control{"\x1b[?1049h\x1b[?25l"} << std::flush;  // the other screen, no cursor
}

Screen::~Screen() {
  out_ << Control{"\x1b[?25h\x1b[?1049l"} << std::flush;
  if (before_) {
    ::tcsetattr(input_, TCSANOW, &*before_);
  }
}

void Screen::draw(const std::vector<std::string>& lines, int rows) {
  std::string text = "\x1b[H";
  const auto shown = std::min(lines.size(), static_cast<std::size_t>(std::max(rows, 1)));
  for (std::size_t i = 0; i < shown; ++i) {
    text += lines[i] + "\x1b[K" + (i + 1 < shown ? "\r\n" : "");
  }
  text += "\x1b[J";
  out_ << Control{text} << std::flush;  // one write: nothing flickers
}

std::optional<char> Screen::wait_key(Seconds pause) {
  pollfd key{.fd = before_ ? input_ : -1, .events = POLLIN, .revents = 0};
  const int milliseconds = static_cast<int>(1000 * pause.count());
  if (::poll(&key, 1, milliseconds) <= 0 || (key.revents & POLLIN) == 0) {
    return std::nullopt;
  }
  char pressed = 0;
  return ::read(input_, &pressed, 1) == 1 ? std::optional(pressed) : std::nullopt;
}

int terminal_rows(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

}  // namespace qanat
