// A terminal taken over for a view that is drawn again and again, and given back as it was.
//
// Plain control sequences, not ncurses: the view is rewritten whole a few times a second, which
// needs three of them, no table of terminals and no state of a library.
#pragma once

#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <vector>

#include <termios.h>

#include "base/time.h"

namespace qanat {

// Fixture. Keys are read from `input` (STDIN_FILENO) without waiting for a line; signals work as
// ever. The destructor gives the terminal back.
class Screen {
 public:
  Screen(std::ostream& out, int input);
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  // At most as many lines as the terminal has rows. They may hold control sequences: whoever made
  // them took care of what else is in them.
  void draw(const std::vector<std::string>& lines, int rows);
  // A key, or nothing when none came within `pause`.
  std::optional<char> wait_key(Seconds pause);

 private:
  std::ostream& out_;
  const int input_;
  std::optional<termios> before_;  // absent: input is no terminal
};

// Of the terminal behind `fd` now: asked each time, because windows are resized.
int terminal_rows(int fd);

}  // namespace qanat
