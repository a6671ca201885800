// Another program that is talked to line by line over its standard input and output.
//
// Owner: the program is ended when the object goes; that does not wait for its consent. Not
// thread-safe. Every call ends by its deadline.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/files.h"
#include "base/result.h"
#include "base/time.h"

namespace qanat {

// What becomes of what the program writes to standard error.
enum class ChildMessages { dropped, shown };

// Longer lines are no answers: a program that never ends its line cannot fill the memory.
inline constexpr std::size_t kMaxChildLine = std::size_t{1} << 24;

class ChildProcess {
 public:
  // `command` is the program, looked up in PATH, and its arguments. Ctrl-C in the terminal does
  // not reach it.
  static Result<ChildProcess> start(std::span<const std::string> command,
                                    ChildMessages messages = ChildMessages::dropped);

  // Whether it has written something that nobody has read yet.
  bool has_more() const;

  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  Result<Done> write(std::string_view text, Clock::time_point deadline);

  // Without the line end, at most kMaxChildLine bytes. What the program wrote before it ended can
  // still be read.
  Result<std::string> read_line(Clock::time_point deadline);

 private:
  ChildProcess(UniqueFd socket, pid_t pid) : socket_(std::move(socket)), pid_(pid) {}

  Result<Done> wait_until_ready(short events, Clock::time_point deadline) const;
  void end();

  UniqueFd socket_;
  pid_t pid_ = -1;
  std::string received_;  // beyond the last line given out
};

}  // namespace qanat
