// A client of the server, for tests: plain blocking sockets with a deadline.
#pragma once

#include <array>
#include <string>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/files.h"

namespace qanat {

inline UniqueFd connect_to(int port) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  const int small = 32 << 10;  // so that one who does not read is soon full
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    fd.reset();
  }
  return fd;
}

inline void send_text(const UniqueFd& fd, const std::string& text) {
  (void)::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
}

// Until `end` has come, or the connection is closed.
inline std::string receive_until(const UniqueFd& fd, const std::string& end) {
  std::string text;
  std::array<char, 4096> bytes{};
  while (end.empty() || text.find(end) == std::string::npos) {
    const ssize_t got = ::recv(fd.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) {
      break;
    }
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return text;
}

inline std::string ask(int port, const std::string& path, const std::string& host = "") {
  const UniqueFd fd = connect_to(port);
  send_text(fd,
            fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n\r\n",
                        path,
                        host.empty() ? fmt::format("127.0.0.1:{}", port) : host));
  return receive_until(fd, "");
}

}  // namespace qanat
