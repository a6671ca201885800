// A server over HTTP on a port of its own that does what a test says, right or wrong.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/files.h"
#include "base/thread.h"

namespace qanat {

// What a client asked.
struct TestAsk {
  int number = 0;  // of all that the server got, from 1
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
};

// What it gets.
struct TestAnswer {
  std::string head;  // status line and headers, without the empty line
  std::string body;
  std::optional<std::size_t> cut_after;  // bytes of the body; then the connection is closed
  bool stalls = false;                   // says nothing more after that, and does not close either
  bool is_endless = false;               // the body again and again
};

inline TestAnswer plain_answer(int status, std::string_view more = "", std::string body = "") {
  return {
      .head = fmt::format("HTTP/1.1 {} X\r\nContent-Length: {}\r\n{}", status, body.size(), more),
      .body = std::move(body)};
}

// As a good server answers that has these bytes there.
inline TestAnswer range_answer(const TestAsk& ask,
                               std::string_view bytes,
                               std::string_view etag = "\"one\"") {
  const std::string tag = etag.empty() ? "" : fmt::format("ETag: {}\r\n", etag);
  if (!ask.range) {
    return plain_answer(200, tag, std::string(bytes));
  }
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (ask.range->first >= size) {
    return plain_answer(416, fmt::format("{}Content-Range: bytes */{}\r\n", tag, size));
  }
  const std::int64_t last = std::min(ask.range->second, size - 1);
  return plain_answer(
      206,
      fmt::format("{}Content-Range: bytes {}-{}/{}\r\n", tag, ask.range->first, last, size),
      std::string(bytes.substr(static_cast<std::size_t>(ask.range->first),
                               static_cast<std::size_t>(last - ask.range->first + 1))));
}

// Fixture. Destroying it ends its threads within a tenth of a second.
class TestServer {
 public:
  using Answers = std::function<TestAnswer(const TestAsk&)>;  // called from several threads

  explicit TestServer(Answers answers) : answers_(std::move(answers)) {
    // What the machine has for a proxy does not know this port.
    ::setenv("no_proxy", "127.0.0.1", 1);
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no port on loopback");
    }
    port_ = ntohs(address.sin_port);
    accepting_ = start_thread("test-server", [this](const std::stop_token& stop) { accept(stop); });
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() {
    accepting_ = {};
    const std::lock_guard lock(mutex_);
    for (std::jthread& one : connections_) {
      one.request_stop();
    }
    connections_.clear();
  }

  std::string url(std::string_view path) const {
    return fmt::format("http://127.0.0.1:{}{}", port_, path);
  }
  int port() const { return port_; }
  int asked() const { return asked_.load(); }
  int connected() const { return connected_.load(); }
  std::int64_t sent() const { return sent_.load(); }  // bytes of bodies

 private:
  static constexpr int kTick = 20;  // ms between two checks for a stop

  void accept(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      pollfd ready{.fd = listener_.get(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, kTick) <= 0) {
        continue;
      }
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) {
        continue;
      }
      connected_.fetch_add(1);
      const std::lock_guard lock(mutex_);
      connections_.push_back(start_thread(
          "test-client", [this, fd](const std::stop_token& ended) { serve(UniqueFd(fd), ended); }));
    }
  }

  static bool send_all(int fd, std::string_view bytes, const std::stop_token& stop) {
    while (!bytes.empty() && !stop.stop_requested()) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, kTick) <= 0) {
        continue;
      }
      const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) {
        return false;
      }
      bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(sent, 0)));
    }
    return bytes.empty();
  }

  void serve(const UniqueFd& fd, const std::stop_token& stop) {
    std::string unread;
    while (!stop.stop_requested()) {
      const std::size_t end = unread.find("\r\n\r\n");
      if (end != std::string::npos) {
        const TestAsk ask = parse(unread.substr(0, end));
        unread.erase(0, end + 4);
        if (!answer(fd.get(), answers_(ask), stop)) {
          return;
        }
        continue;
      }
      pollfd ready{.fd = fd.get(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, kTick) <= 0) {
        continue;
      }
      std::array<char, 4096> bytes{};
      const ssize_t got = ::recv(fd.get(), bytes.data(), bytes.size(), 0);
      if (got <= 0) {
        return;
      }
      unread.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  // False: the connection is over.
  bool answer(int fd, const TestAnswer& answer, const std::stop_token& stop) {
    const std::size_t shown =
        std::min(answer.cut_after.value_or(answer.body.size()), answer.body.size());
    const std::string_view body = std::string_view(answer.body).substr(0, shown);
    const std::string head = answer.head.empty() ? "" : answer.head + "\r\n";
    if (!send_all(fd, head, stop) || !send_all(fd, body, stop)) {
      return false;
    }
    sent_.fetch_add(static_cast<std::int64_t>(shown));
    while (answer.is_endless && send_all(fd, answer.body, stop)) {
      sent_.fetch_add(static_cast<std::int64_t>(answer.body.size()));
    }
    while (answer.stalls && !stop.stop_requested()) {
      pollfd gone{.fd = fd, .events = POLLIN, .revents = 0};
      std::array<char, 16> bytes{};
      if (::poll(&gone, 1, kTick) > 0 && ::recv(fd, bytes.data(), bytes.size(), 0) <= 0) {
        return false;
      }
    }
    return !answer.cut_after && !answer.is_endless && !answer.stalls;
  }

  TestAsk parse(std::string_view head) {
    TestAsk ask{.number = asked_.fetch_add(1) + 1};
    const std::size_t first = head.find(' ') + 1;
    ask.path = head.substr(first, head.find(' ', first) - first);
    while (!head.empty()) {
      const std::string_view line = head.substr(0, head.find("\r\n"));
      head.remove_prefix(std::min(line.size() + 2, head.size()));
      const std::size_t colon = line.find(": ");
      if (colon != std::string_view::npos) {
        std::string name(line.substr(0, colon));
        std::ranges::transform(
            name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        ask.headers[name] = line.substr(colon + 2);
      }
    }
    if (const auto range = ask.headers.find("range"); range != ask.headers.end()) {
      const std::string& text = range->second;  // bytes=0-99
      const std::size_t dash = text.find('-');
      ask.range =
          std::pair(std::stoll(text.substr(6, dash - 6)), std::stoll(text.substr(dash + 1)));
    }
    return ask;
  }

  const Answers answers_;
  UniqueFd listener_;
  int port_ = 0;
  std::atomic<int> asked_ = 0;
  std::atomic<int> connected_ = 0;
  std::atomic<std::int64_t> sent_ = 0;
  std::mutex mutex_;  // guards connections_
  std::vector<std::jthread> connections_;
  std::jthread accepting_;  // last: it uses everything above
};

}  // namespace qanat
