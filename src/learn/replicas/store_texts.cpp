#include "replicas/store_texts.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "locale/message_error.h"
#include "locale/messages/devices.h"
#include "replicas/c10d_errors.h"
#include "replicas/store_port.h"

namespace qanat {
namespace {

// Backends meet through the first connection; who does not come is found by others.
constexpr std::chrono::milliseconds kLongWait = std::chrono::minutes(5);

}  // namespace

StorePointer connect_store(const ReplicaPlace& place, Seconds timeout, StoreRole role) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(place.port);
  options.isServer = place.rank == 0 && role == StoreRole::first_of_process;
  options.waitWorkers = false;
  options.timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::max(timeout, Seconds(1)));
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    if (options.isServer) {
      bound_requests(place.port);
      if (is_loopback(place.address)) {
        listen_on_loopback_only(place.port);
      }
    }
    if (role == StoreRole::first_of_process) {
      store->setTimeout(kLongWait);
    } else if (role == StoreRole::listener) {
      store->setTimeout(std::chrono::duration_cast<std::chrono::milliseconds>(kStorePatience));
    }
    return c10::make_intrusive<c10d::PrefixStore>(
        fmt::format("qanat/{}/{}", place.attempt, place.secret), store);
  } catch (const std::exception& error) {
    throw MessageError(
        msg::replicas_no_store{.rank = place.rank,
                               .address = fmt::format("{}:{}", place.address, place.port),
                               .reason = first_line(error)});
  }
}

void shut_store_connections(const ReplicaPlace& place) noexcept {
  std::error_code ignored;
  for (std::filesystem::directory_iterator files("/proc/self/fd", ignored), end;
       !ignored && files != end;
       files.increment(ignored)) {
    const int fd = std::atoi(files->path().filename().c_str());
    sockaddr_storage peer{};
    socklen_t size = sizeof(peer);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) {
      continue;
    }
    in_port_t port = 0;
    if (peer.ss_family == AF_INET) {
      port = reinterpret_cast<const sockaddr_in*>(&peer)->sin_port;
    } else if (peer.ss_family == AF_INET6) {
      port = reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_port;
    }
    if (port != 0 && ntohs(port) == place.port) {
      ::shutdown(fd, SHUT_RDWR);
    }
  }
}

void StoreTexts::set(const std::string& name, const std::string& text) {
  with_store([&](c10d::Store& store) { store.set(name, to_store_bytes(text)); });
}

std::optional<std::string> StoreTexts::get(const std::string& name) {
  return with_store([&](c10d::Store& store) {
    return store.check({name}) ? std::optional(from_store_bytes(store.get(name))) : std::nullopt;
  });
}

std::string StoreTexts::set_once(const std::string& name, const std::string& text) {
  return with_store([&](c10d::Store& store) {
    return from_store_bytes(store.compareSet(name, {}, to_store_bytes(text)));
  });
}

}  // namespace qanat
