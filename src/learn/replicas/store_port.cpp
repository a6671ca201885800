#include "replicas/store_port.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace qanat {
namespace {

// Offsets in the header behind SKF_NET_OFF.
constexpr std::uint32_t kVersion = 0;
constexpr std::uint32_t kSourceV4 = 12;
constexpr std::uint32_t kSourceV6 = 8;
constexpr std::uint32_t kLoopbackNet = 127;

constexpr sock_filter load(std::uint16_t size, std::uint32_t offset) {
  return {static_cast<std::uint16_t>(BPF_LD | size | BPF_ABS),
          0,
          0,
          static_cast<std::uint32_t>(SKF_NET_OFF) + offset};
}
constexpr sock_filter jump_if(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return {BPF_JMP | BPF_JEQ | BPF_K, yes, no, value};
}
constexpr sock_filter shift_right(std::uint32_t bits) {
  return {BPF_ALU | BPF_RSH | BPF_K, 0, 0, bits};
}
constexpr sock_filter give(std::uint32_t bytes) {
  return {BPF_RET | BPF_K, 0, 0, bytes};
}

// Jumps count the instructions that are left out. A packet passes whose sender is 127.x.x.x or ::1:
// the kernel lets none of these come from outside.
constexpr std::array kFromLoopback = {
    load(BPF_B, kVersion),
    shift_right(4),
    jump_if(4, 0, 3),  // IPv4, else 6
    load(BPF_B, kSourceV4),
    jump_if(kLoopbackNet, 9, 0),
    give(0),
    load(BPF_W, kSourceV6),
    jump_if(0, 0, 7),
    load(BPF_W, kSourceV6 + 4),
    jump_if(0, 0, 5),
    load(BPF_W, kSourceV6 + 8),
    jump_if(0, 0, 3),
    load(BPF_W, kSourceV6 + 12),
    jump_if(1, 0, 1),
    give(0xFFFFFFFFU),
    give(0),
};

bool is_listening_at(int fd, int port) {
  int listens = 0;
  socklen_t size = sizeof(listens);
  if (::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return false;
  }
  sockaddr_storage own{};
  size = sizeof(own);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
    return false;
  }
  const in_port_t at =
      own.ss_family == AF_INET    ? reinterpret_cast<const sockaddr_in*>(&own)->sin_port
      : own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&own)->sin6_port
                                  : in_port_t{0};
  return at != 0 && ntohs(at) == port;
}

bool attach_filter(int fd) {
  std::array filter = kFromLoopback;
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  return ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0;
}

bool bound_waits(int fd) {
  const timeval patience{.tv_sec = static_cast<time_t>(kRequestPatience.count()), .tv_usec = 0};
  return ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 &&
         ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) == 0;
}

// False where nobody listens at `port`, or the option was refused.
bool set_at(int port, bool (*set)(int fd)) noexcept {
  bool is_set = false;
  std::error_code ignored;
  for (std::filesystem::directory_iterator files("/proc/self/fd", ignored), end;
       !ignored && files != end;
       files.increment(ignored)) {
    const int fd = std::atoi(files->path().filename().c_str());
    if (is_listening_at(fd, port)) {
      is_set = set(fd);
    }
  }
  return is_set;
}

}  // namespace

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

bool listen_on_loopback_only(int port) noexcept {
  return set_at(port, attach_filter);
}

bool bound_requests(int port) noexcept {
  return set_at(port, bound_waits);
}

}  // namespace qanat
