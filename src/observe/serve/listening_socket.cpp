#include "serve/listening_socket.h"

#include <cerrno>
#include <cstdint>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

constexpr int kListenBacklog = 64;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

SocketAddress to_socket_address(const std::string& address, int port) {
  SocketAddress result;
  auto& v4 = reinterpret_cast<sockaddr_in&>(result.storage);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(result.storage);
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
    result.size = sizeof(v4);
  } else if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(static_cast<std::uint16_t>(port));
    result.size = sizeof(v6);
  } else {
    throw MessageError(msg::server_not_an_address{.address = address});
  }
  return result;
}

}  // namespace

UniqueFd listen_on(const ListeningPlace& place) {
  const SocketAddress where = to_socket_address(place.address, place.port);
  UniqueFd fd(::socket(where.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (!fd || ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(fd.get(), where.get(), where.size) != 0 || ::listen(fd.get(), kListenBacklog) != 0) {
    throw MessageError(msg::server_cannot_listen{.address = place.address,
                                                 .port = std::to_string(place.port),
                                                 .reason = system_reason(errno)});
  }
  return fd;
}

int port_of(int fd) {
  SocketAddress bound;
  bound.size = sizeof(bound.storage);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound.storage), &bound.size);
  return ntohs(bound.storage.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in&>(bound.storage).sin_port
                   : reinterpret_cast<const sockaddr_in6&>(bound.storage).sin6_port);
}

}  // namespace qanat
