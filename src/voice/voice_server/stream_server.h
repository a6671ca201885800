// Clients over TCP whose answers take a while and are sent as they are made: one thread,
// non-blocking sockets, bounds on everything that a client can take. What the bytes mean is known
// to a Session, one per connection; answers come through its Outbox, from any thread.
//
// The dashboard has a loop of its own (serve/http_server.h): docs/decisions/0019 says why.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/time.h"
#include "serve/listening_socket.h"
#include "voice_server/outbox.h"

namespace qanat {

// What one client says. Called on the server's thread only; must not throw and should be quick.
class Session {
 public:
  virtual ~Session() = default;

  // `bytes`: all that has come and was not taken. Returns how many of them are done with; 0 when
  // more are needed, or when the client has to wait for its answer first.
  virtual std::size_t take(std::string_view bytes) = 0;
  // How long the client may take for what comes next. Counted from the last bytes that were taken,
  // so that a byte now and then does not help. `has_begun`: some of it is there.
  virtual Seconds patience(bool has_begun) const = 0;
  // How many bytes are kept until take() has taken some.
  virtual std::size_t most_input() const = 0;
};

struct StreamCounts {
  std::size_t clients = 0;       // now
  std::uint64_t refused = 0;     // one too many
  std::uint64_t slow = 0;        // dropped because they did not read
  std::uint64_t unfinished = 0;  // dropped because they did not say what they want
};

struct Caller {
  std::string address;                     // numeric
  int port = 0;                            // of ours that it called
  std::shared_ptr<Outbox> outbox{};        // shared by the connection and whoever answers
  std::function<StreamCounts()> counts{};  // of the server, which outlives the session
};

struct Service {
  ListeningPlace place;
  std::function<std::unique_ptr<Session>(Caller)> open;
  std::string busy{};  // what a client hears that is one too many
};

struct StreamServerOptions {
  std::size_t most_clients = 256;
  Seconds send_timeout{10};  // without a byte read, a client is dropped
};

// Fixture. The destructor closes all connections and waits for the thread, which never waits for a
// client.
class StreamServer {
 public:
  // Listens when it returns. Throws Error when an address cannot be had.
  StreamServer(StreamServerOptions options, std::vector<Service> services);
  StreamServer(const StreamServer&) = delete;
  StreamServer& operator=(const StreamServer&) = delete;
  ~StreamServer();

  // The port of each service, in their order.
  int port(std::size_t service) const { return ports_[service]; }
  StreamCounts counts() const;  // from any thread

 private:
  struct Client {
    UniqueFd fd;
    std::shared_ptr<Outbox> outbox;  // shared with whoever answers
    std::unique_ptr<Session> session;
    Clock::time_point last_taken;
    Clock::time_point last_sent;
    std::string input{};
    std::string output{};
    std::size_t sent = 0;  // of output
    bool closing = false;  // has its answer; its end is awaited
  };

  void serve(const std::stop_token& stop);
  void accept_clients(std::size_t service);
  void read_from(Client& client);
  void offer(Client& client);
  void write_to(Client& client);
  void drop(Client& client);
  void drop_late();
  void remove_gone();
  int wait_milliseconds() const;
  // Some bytes were offered to the client and not taken. What still lies in the outbox does not
  // count: it may have come this moment.
  static bool is_sending(const Client& client);
  static bool wants_to_write(const Client& client);
  static Clock::time_point deadline(const Client& client, Seconds send_timeout);

  const StreamServerOptions options_;
  const std::vector<Service> services_;
  const std::shared_ptr<const LoopAlarm> alarm_;  // shared with every outbox
  std::vector<UniqueFd> listeners_;
  std::vector<int> ports_;
  std::list<Client> clients_;         // of the server's thread
  Clock::time_point accept_again_{};  // likewise
  std::atomic<std::size_t> num_clients_ = 0;
  std::atomic<std::uint64_t> num_refused_ = 0;
  std::atomic<std::uint64_t> num_slow_ = 0;
  std::atomic<std::uint64_t> num_unfinished_ = 0;
  std::jthread thread_;  // last: uses everything above
};

}  // namespace qanat
