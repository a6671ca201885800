// A socket that listens for clients over TCP: non-blocking, for the loops of our servers.
#pragma once

#include <string>

#include "base/files.h"

namespace qanat {

struct ListeningPlace {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, numeric
  int port = 0;                       // 0: any that is free
};

// Throws Error when the address cannot be had.
UniqueFd listen_on(const ListeningPlace& place);

// That a socket was given.
int port_of(int fd);

}  // namespace qanat
