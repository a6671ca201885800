// A small HTTP server for pages about a run: one thread, non-blocking sockets, bounds on
// everything a client can take. Serves what its handler makes, never files.
//
// Streams (server-sent events) get the latest event once they have read the one before: a slow
// client misses some, one that reads nothing is disconnected, and neither costs memory, since all
// share the bytes of an event.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/files.h"
#include "base/quantity.h"
#include "base/time.h"
#include "serve/http_request.h"
#include "serve/http_response.h"

namespace qanat {

struct HttpServerOptions {
  std::string address = "127.0.0.1";    // IPv4 or IPv6, numeric
  int port = 0;                         // 0: any that is free
  std::size_t most_clients = 256;       // one more is refused with 503
  Bytes most_waiting = mebibytes(128);  // of answers that are kept; one more is refused with 503
  Seconds request_timeout{5};           // from accepting to the whole head of a request
  Seconds send_timeout{10};             // without a byte read, a client is disconnected
  Seconds linger_timeout{1};            // at the end, for streams to take the newest event
};

// Fixture. publish() may be called from any thread; `handle` is called on the server's own, must
// not throw and should be quick. The destructor closes all connections; it waits for streams to
// take the newest event, no longer than the linger timeout.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  // Listens when it returns. Throws Error when the address cannot be had.
  HttpServer(HttpServerOptions options, Handler handle);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const { return port_; }

  // `event` is what goes over the wire, its empty line included.
  void publish(std::shared_ptr<const std::string> event);  // shared by all streams
  std::size_t num_streams() const { return num_streams_.load(); }

 private:
  struct Client {
    UniqueFd fd;
    Clock::time_point deadline;
    std::string input{};
    std::string head{};                          // of the response, or all of it
    std::shared_ptr<const std::string> event{};  // being sent; shared with the other streams
    std::size_t sent = 0;                        // of head, or of event once head is out
    std::int64_t seen = 0;                       // number of the newest event it was given
    bool answered = false;
    bool is_stream = false;
    bool closing = false;  // has its answer; its end is awaited
  };

  void serve(const std::stop_token& stop);
  void linger();
  void accept_clients();
  void read_from(Client& client);
  void answer(Client& client);
  bool has_room_for(const HttpResponse& response) const;
  void write_to(Client& client);
  void give_event(Client& client);
  short events_of(const Client& client) const;
  bool wants_to_write(const Client& client) const;
  void drop_closed();
  int wait_milliseconds() const;

  const HttpServerOptions options_;
  const Handler handle_;
  UniqueFd listener_;
  UniqueFd wake_;  // an eventfd: something was published, or the end
  int port_ = 0;
  std::list<Client> clients_;         // of the server's thread
  Clock::time_point accept_again_{};  // likewise
  std::atomic<std::size_t> num_streams_ = 0;
  std::mutex mutex_;                           // guards newest_ and published_
  std::shared_ptr<const std::string> newest_;  // shared with the streams that send it
  std::int64_t published_ = 0;
  std::jthread thread_;  // last: uses everything above
};

}  // namespace qanat
