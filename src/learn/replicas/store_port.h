// Keeps a server on a port of this process to this machine, where the library that listens knows no
// address to listen on: c10d's store listens on all of them.
#pragma once

#include <string_view>

namespace qanat {

// "127.0.0.1", "::1", "localhost".
bool is_loopback(std::string_view address);

// From now on the listening sockets of this process at `port` see nothing that comes from another
// machine, as if nobody listened. False where there is none, or the kernel has no such filters.
bool listen_on_loopback_only(int port) noexcept;

}  // namespace qanat
