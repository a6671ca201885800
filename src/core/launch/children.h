// The processes of `qanat train --processes N`: started with torchrun's variables, stopped
// together, and waited for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/message.h"
#include "base/time.h"

namespace qanat {

struct ChildrenRequest {
  int count = 2;
  std::vector<std::string> command;  // the program, by its path, and its arguments
  // Where ranks other than 0 write what they say, as rank-1.log and so on; rank 0 speaks here.
  std::filesystem::path logs;
  bool is_quiet = false;  // rank 0 writes to rank-0.log, too
  // How long the others may go on after the first one failed: they name it and exit themselves.
  Seconds patience{70.0};
  std::stop_token stop;  // asks every one to stop, once
  std::function<void(const Message&)> say;
};

// What the shell would be told of the first one that failed: its exit code, or 128 + signal; 0 when
// none did. Throws MessageError when they cannot be started. Waits until all have ended; one that
// outlives the patience is killed. A process of its own ends with this one, whatever ends it.
int run_children(const ChildrenRequest& request);

// A port of the loopback interface that nobody listens on, kept from being given to others while
// this lives. Whoever binds it with SO_REUSEADDR, as c10d does, may listen on it.
class ReservedPort {
 public:
  ReservedPort();  // throws MessageError

  int number() const { return number_; }

 private:
  UniqueFd socket_;
  int number_ = 0;
};

// One that was free a moment ago.
int free_port();

}  // namespace qanat
