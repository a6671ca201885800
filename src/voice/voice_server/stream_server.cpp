#include "voice_server/stream_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/thread.h"

namespace qanat {
namespace {

constexpr int kAcceptedAtOnce = 64;
constexpr int kSendBuffer = 128 << 10;
constexpr Seconds kPauseAfterFailure{1};
constexpr Seconds kCloseTimeout{1};  // for the client to close first

Clock::time_point after(Clock::time_point start, Seconds time) {
  return start + std::chrono::duration_cast<Clock::duration>(time);
}

bool nothing_now() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

std::string address_text(const sockaddr_storage& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes =
      from.ss_family == AF_INET
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in&>(from).sin_addr)
          : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(from).sin6_addr);
  const char* written = ::inet_ntop(from.ss_family, bytes, text.data(), text.size());
  return written == nullptr ? std::string() : std::string(written);
}

}  // namespace

StreamServer::StreamServer(StreamServerOptions options, std::vector<Service> services)
    : options_(options),
      services_(std::move(services)),
      alarm_(std::make_shared<const LoopAlarm>()) {
  for (const Service& service : services_) {
    listeners_.push_back(listen_on(service.place));
    ports_.push_back(port_of(listeners_.back().get()));
  }
  thread_ = start_thread("voice-net", [this](const std::stop_token& stop) { serve(stop); });
}

StreamServer::~StreamServer() {
  thread_.request_stop();
  alarm_->ring();
  thread_.join();
}

StreamCounts StreamServer::counts() const {
  return {.clients = num_clients_.load(),
          .refused = num_refused_.load(),
          .slow = num_slow_.load(),
          .unfinished = num_unfinished_.load()};
}

bool StreamServer::is_sending(const Client& client) {
  return client.sent < client.output.size();
}

bool StreamServer::wants_to_write(const Client& client) {
  return is_sending(client) || client.outbox->waiting() > 0;
}

void StreamServer::serve(const std::stop_token& stop) {
  std::vector<pollfd> watched;
  while (!stop.stop_requested()) {
    const bool may_accept = Clock::now() >= accept_again_;
    watched.assign({{.fd = alarm_->fd(), .events = POLLIN, .revents = 0}});
    for (const UniqueFd& listener : listeners_) {
      watched.push_back({.fd = may_accept ? listener.get() : -1, .events = POLLIN, .revents = 0});
    }
    const std::size_t first = watched.size();
    for (const Client& client : clients_) {
      const bool may_read = client.input.size() < client.session->most_input();
      watched.push_back({.fd = client.fd.get(),
                         .events = static_cast<short>(POLLRDHUP | (may_read ? POLLIN : 0) |
                                                      (wants_to_write(client) ? POLLOUT : 0)),
                         .revents = 0});
    }
    ::poll(watched.data(), watched.size(), wait_milliseconds());
    if ((watched[0].revents & POLLIN) != 0) {
      alarm_->clear();
    }
    std::size_t at = first;
    for (Client& client : clients_) {
      const short happened = watched[at++].revents;
      if ((happened & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
        drop(client);  // also who only says no more: it cannot be told from who has left
      } else if ((happened & POLLIN) != 0) {
        read_from(client);
      }
      offer(client);
      write_to(client);
    }
    drop_late();
    remove_gone();
    for (std::size_t service = 0; service < services_.size(); ++service) {
      if ((watched[1 + service].revents & POLLIN) != 0) {
        accept_clients(service);
      }
    }
  }
  for (Client& client : clients_) {
    drop(client);
  }
  remove_gone();
}

void StreamServer::accept_clients(std::size_t service) {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof(from);
    UniqueFd fd(::accept4(listeners_[service].get(),
                          reinterpret_cast<sockaddr*>(&from),
                          &size,
                          SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      // Out of descriptors, say: asking again at once would only turn in circles.
      accept_again_ = nothing_now() ? Clock::time_point() : after(Clock::now(), kPauseAfterFailure);
      return;
    }
    if (clients_.size() >= options_.most_clients) {
      const std::string& busy = services_[service].busy;
      (void)::send(fd.get(), busy.data(), busy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      ++num_refused_;
      continue;
    }
    // What a client that does not read can take of the kernel's memory; and a first chunk does not
    // wait for the second.
    const int yes = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof(kSendBuffer));
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    auto outbox = std::make_shared<Outbox>(alarm_);
    clients_.push_back({.fd = std::move(fd),
                        .outbox = outbox,
                        .session = services_[service].open({.address = address_text(from),
                                                            .port = ports_[service],
                                                            .outbox = outbox,
                                                            .counts = [this] { return counts(); }}),
                        .last_taken = Clock::now(),
                        .last_sent = Clock::now()});
    ++num_clients_;
  }
}

void StreamServer::read_from(Client& client) {
  std::array<char, 16384> bytes{};
  const std::size_t room = client.session->most_input() - client.input.size();
  const ssize_t got = ::recv(client.fd.get(), bytes.data(), std::min(bytes.size(), room), 0);
  if (got == 0 || (got < 0 && !nothing_now())) {
    drop(client);
    return;
  }
  // Who has its answer is read to its end, because closing a socket with unread input would discard
  // what was sent; what it says is ignored.
  if (got > 0 && !client.closing) {
    client.input.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void StreamServer::offer(Client& client) {
  while (client.fd && !client.closing && !client.input.empty()) {
    const std::size_t taken = client.session->take(client.input);
    if (taken == 0) {
      return;
    }
    client.input.erase(0, taken);
    client.last_taken = Clock::now();
  }
}

void StreamServer::write_to(Client& client) {
  while (client.fd && wants_to_write(client)) {
    if (client.sent == client.output.size()) {
      client.output.clear();
      client.sent = 0;
      client.outbox->take(client.output);
      client.last_sent = Clock::now();
    }
    const ssize_t put = ::send(client.fd.get(),
                               client.output.data() + client.sent,
                               client.output.size() - client.sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0) {
      if (!nothing_now()) {
        drop(client);
      }
      return;
    }
    client.sent += static_cast<std::size_t>(put);
    client.last_sent = Clock::now();
    if (client.sent == client.output.size()) {
      client.output = {};
      client.sent = 0;
    }
    client.outbox->set_in_hand(client.output.size() - client.sent);
  }
}

void StreamServer::drop(Client& client) {
  client.fd.reset();
  client.outbox->set_gone();
}

Clock::time_point StreamServer::deadline(const Client& client, Seconds send_timeout) {
  if (client.closing) {
    return after(client.last_sent, kCloseTimeout);
  }
  if (is_sending(client)) {
    return after(client.last_sent, send_timeout);
  }
  return after(client.last_taken, client.session->patience(!client.input.empty()));
}

// Those that have their answer, and those that are too slow.
void StreamServer::drop_late() {
  const Clock::time_point now = Clock::now();
  for (Client& client : clients_) {
    if (!client.fd) {
      continue;
    }
    const Outbox::Ending ending = client.outbox->ending();
    if (ending == Outbox::Ending::cut) {
      drop(client);
      continue;
    }
    if (ending == Outbox::Ending::finished && !wants_to_write(client) &&
        !std::exchange(client.closing, true)) {
      ::shutdown(client.fd.get(), SHUT_WR);
      client.last_sent = now;
      client.input = {};
    }
    if (now >= deadline(client, options_.send_timeout)) {
      if (!client.closing) {
        ++(is_sending(client) ? num_slow_ : num_unfinished_);
      }
      drop(client);
    }
  }
}

void StreamServer::remove_gone() {
  std::erase_if(clients_, [](const Client& client) { return !client.fd; });
  num_clients_ = clients_.size();
}

// Until the next client runs out of time.
int StreamServer::wait_milliseconds() const {
  std::optional<Clock::time_point> first;
  const auto consider = [&](Clock::time_point time) {
    first = first ? std::min(*first, time) : time;
  };
  for (const Client& client : clients_) {
    consider(deadline(client, options_.send_timeout));
  }
  if (Clock::now() < accept_again_) {
    consider(accept_again_);
  }
  if (!first) {
    return -1;
  }
  const Seconds left(*first - Clock::now());
  return static_cast<int>(std::clamp(1000 * left.count() + 1, 0.0, 60'000.0));
}

}  // namespace qanat
