// What c10d leaves undone at the port of its store, which listens on all addresses and serves all
// connections by one thread. Through the listening sockets of this process, which c10d does not
// give away: options of theirs hold for the connections that come.
#pragma once

#include <string_view>

#include "base/time.h"

namespace qanat {

// "127.0.0.1", "::1", "localhost".
bool is_loopback(std::string_view address);

// From now on the listening sockets of this process at `port` see nothing that comes from another
// machine, as if nobody listened. False where there is none, or the kernel has no such filters.
bool listen_on_loopback_only(int port) noexcept;

// Who begins a request and does not go on, or does not read the answer, keeps the server of `port`
// waiting for so long, and loses the connection. False where nobody listens.
inline constexpr Seconds kRequestPatience{3};  // segments that were lost are sent again within it
bool bound_requests(int port) noexcept;

}  // namespace qanat
