#include "serve/http_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/files.h"
#include "base/low_priority.h"
#include "base/thread.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/file_errors.h"
#include "serve/listening_socket.h"

namespace qanat {
namespace {

constexpr int kBacklog = 64;
constexpr int kSendBuffer = 128 << 10;
constexpr Seconds kPauseAfterFailure{1};
constexpr Seconds kCloseTimeout{1};  // for the client to close first

Clock::time_point in(Seconds time) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

HttpServer::HttpServer(HttpServerOptions options, Handler handle)
    : options_(std::move(options)),
      handle_(std::move(handle)),
      listener_(listen_on({options_.address, options_.port})),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      port_(port_of(listener_.get())) {
  if (!wake_) {
    throw MessageError(msg::set_refused{.file = "eventfd",
                                        .why = msg::cannot_create{.reason = system_reason(errno)}});
  }
  thread_ = start_thread("http", [this](const std::stop_token& stop) { serve(stop); });
}

HttpServer::~HttpServer() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
  thread_.join();
}

void HttpServer::publish(std::shared_ptr<const std::string> event) {
  {
    const std::lock_guard lock(mutex_);
    newest_ = std::move(event);
    ++published_;
  }
  ::eventfd_write(wake_.get(), 1);
}

void HttpServer::serve(const std::stop_token& stop) {
  lower_priority();
  std::vector<pollfd> watched;
  while (!stop.stop_requested()) {
    const bool may_accept = Clock::now() >= accept_again_;
    watched.assign({{.fd = may_accept ? listener_.get() : -1, .events = POLLIN, .revents = 0},
                    {.fd = wake_.get(), .events = POLLIN, .revents = 0}});
    for (const Client& client : clients_) {
      watched.push_back({.fd = client.fd.get(), .events = events_of(client), .revents = 0});
    }
    ::poll(watched.data(), watched.size(), wait_milliseconds());
    if ((watched[1].revents & POLLIN) != 0) {
      eventfd_t ignored = 0;
      ::eventfd_read(wake_.get(), &ignored);
    }
    std::size_t at = 2;
    for (Client& client : clients_) {
      const short happened = watched[at++].revents;
      if ((happened & (POLLIN | POLLRDHUP | POLLHUP | POLLERR)) != 0) {
        read_from(client);
      }
      write_to(client);
    }
    drop_closed();
    if ((watched[0].revents & POLLIN) != 0) {
      accept_clients();
    }
  }
  linger();
}

// The newest event may be the one that says how the run ended.
void HttpServer::linger() {
  const Clock::time_point end = in(options_.linger_timeout);
  for (Seconds left = options_.linger_timeout; left.count() > 0; left = end - Clock::now()) {
    std::vector<pollfd> busy;
    for (Client& client : clients_) {
      if (client.is_stream && client.fd) {
        write_to(client);
      }
      if (client.is_stream && client.fd && wants_to_write(client)) {
        busy.push_back({.fd = client.fd.get(), .events = POLLOUT, .revents = 0});
      }
    }
    if (busy.empty()) {
      return;
    }
    ::poll(busy.data(), busy.size(), static_cast<int>(1000 * left.count()) + 1);
  }
}

void HttpServer::accept_clients() {
  for (int i = 0; i < kBacklog; ++i) {
    UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd) {
      // Out of descriptors, say: asking again at once would only turn in circles.
      accept_again_ = would_block() ? Clock::time_point() : in(kPauseAfterFailure);
      return;
    }
    if (clients_.size() >= options_.most_clients) {
      const std::string bytes = to_bytes(refuse(503), BodyPart::whole);
      (void)::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      continue;
    }
    // What a client that does not read can take of the kernel's memory.
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof(kSendBuffer));
    clients_.push_back({.fd = std::move(fd), .deadline = in(options_.request_timeout)});
  }
}

// A stream is polled only for a hang-up. Other clients are read as well, because closing a socket
// with unread input would discard the answer; what they send is ignored.
short HttpServer::events_of(const Client& client) const {
  return static_cast<short>((client.is_stream ? POLLRDHUP : POLLIN) |
                            (wants_to_write(client) ? POLLOUT : 0));
}

void HttpServer::read_from(Client& client) {
  std::array<char, 4096> bytes{};
  const ssize_t got = ::recv(client.fd.get(), bytes.data(), bytes.size(), 0);
  if (got == 0 || (got < 0 && !would_block())) {
    client.fd.reset();
    return;
  }
  if (got > 0 && !client.answered) {
    client.input.append(bytes.data(), static_cast<std::size_t>(got));
    answer(client);
  }
}

// Clients that do not read cannot fill the memory. The first answer always has room.
bool HttpServer::has_room_for(const HttpResponse& response) const {
  std::size_t kept = 0;
  for (const Client& client : clients_) {
    kept += client.head.size();
  }
  const auto most = static_cast<std::size_t>(options_.most_waiting.value);
  return kept == 0 || kept + response.body.size() <= most;
}

void HttpServer::answer(Client& client) {
  HttpParse parse = parse_request(client.input);
  if (parse.state == HttpParse::State::incomplete) {
    return;
  }
  parse.request.port = port_;
  HttpResponse response =
      parse.state == HttpParse::State::complete ? handle_(parse.request) : refuse(parse.status);
  if (!has_room_for(response)) {
    response = refuse(503);
  }
  const bool head_only = parse.request.head_only;
  client.input = {};
  client.head = to_bytes(response, head_only ? BodyPart::head_only : BodyPart::whole);
  client.answered = true;
  client.is_stream = response.is_stream && !head_only;
  client.deadline = in(options_.send_timeout);
  num_streams_ += client.is_stream ? 1 : 0;
}

bool HttpServer::wants_to_write(const Client& client) const {
  return client.answered && (client.sent < client.head.size() || client.event != nullptr);
}

// A stream that has taken everything gets the newest event, whatever it missed.
void HttpServer::give_event(Client& client) {
  if (!client.is_stream || client.event != nullptr || client.sent < client.head.size()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (newest_ != nullptr && client.seen != published_) {
    client.event = newest_;
    client.seen = published_;
    client.head.clear();
    client.sent = 0;
    client.deadline = in(options_.send_timeout);
  }
}

void HttpServer::write_to(Client& client) {
  for (give_event(client); client.fd && wants_to_write(client); give_event(client)) {
    const std::string& bytes = client.event != nullptr ? *client.event : client.head;
    const ssize_t put = ::send(client.fd.get(),
                               bytes.data() + client.sent,
                               bytes.size() - client.sent,
                               MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put < 0) {
      if (!would_block()) {
        client.fd.reset();
      }
      return;
    }
    client.sent += static_cast<std::size_t>(put);
    client.deadline = in(options_.send_timeout);
    if (client.event != nullptr && client.sent == bytes.size()) {
      client.event = nullptr;
      client.sent = 0;
    }
  }
}

// Those that are gone, too slow, or have their answer.
void HttpServer::drop_closed() {
  const Clock::time_point now = Clock::now();
  for (auto client = clients_.begin(); client != clients_.end();) {
    const bool idle_stream = client->is_stream && !wants_to_write(*client);
    const bool done = client->answered && !client->is_stream && !wants_to_write(*client);
    if (done && client->fd && !std::exchange(client->closing, true)) {
      ::shutdown(client->fd.get(), SHUT_WR);
      client->deadline = in(kCloseTimeout);
    }
    if (client->fd && (idle_stream || now < client->deadline)) {
      ++client;
      continue;
    }
    num_streams_ -= client->is_stream ? 1 : 0;
    client = clients_.erase(client);
  }
}

// Until the next client runs out of time.
int HttpServer::wait_milliseconds() const {
  std::optional<Clock::time_point> first;
  for (const Client& client : clients_) {
    if (!client.is_stream || wants_to_write(client)) {
      first = first ? std::min(*first, client.deadline) : client.deadline;
    }
  }
  if (Clock::now() < accept_again_) {
    first = first ? std::min(*first, accept_again_) : accept_again_;
  }
  if (!first) {
    return -1;
  }
  const Seconds left(*first - Clock::now());
  return std::clamp(static_cast<int>(1000 * left.count()) + 1, 0, 60'000);
}

}  // namespace qanat
