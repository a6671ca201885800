// Bytes on their way to one client: put in by whoever makes them, taken out by the server's thread.
// Nobody who puts bytes in ever waits for a client; who makes a lot asks has_room() first.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/files.h"

namespace qanat {

// Wakes the loop of a server from any thread. Fixture.
class LoopAlarm {
 public:
  // Throws Error when the system has no descriptor left.
  LoopAlarm();
  LoopAlarm(const LoopAlarm&) = delete;
  LoopAlarm& operator=(const LoopAlarm&) = delete;

  void ring() const;
  void clear() const;
  int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;  // an eventfd
};

// Fixture; all methods may be called from any thread, except where it says otherwise. Shared by the
// connection and by the job that answers it: whichever ends first leaves it to the other.
class Outbox {
 public:
  // Above this nobody should make more: what a client that reads slowly can hold.
  static constexpr std::size_t kRoom = 256 << 10;

  explicit Outbox(std::shared_ptr<const LoopAlarm> alarm) : alarm_(std::move(alarm)) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Dropped when the client is gone.
  void push(std::string_view bytes);
  // That was all: when it is sent, the connection is closed.
  void finish();
  // Closes at once, without what was not sent: a reader of chunks sees that some are missing.
  void cut();
  // Whoever was busy with this client is not any more: its next request may be looked at.
  void ring() const { alarm_->ring(); }

  bool has_room() const;
  bool is_gone() const { return gone_.load(); }

  // Called on the server's thread, without a lock, when there is room again and when the client is
  // gone. May be replaced; an empty one is not called.
  void when_changed(std::function<void()> call);

  // For the server's thread.
  enum class Ending { open, finished, cut };
  std::size_t waiting() const;
  Ending ending() const;
  // Moves everything that waits behind `into`.
  void take(std::string& into);
  void set_gone();

 private:
  void tell();

  const std::shared_ptr<const LoopAlarm> alarm_;  // shared with the server
  mutable std::mutex mutex_;                      // guards what follows
  std::string bytes_;
  std::size_t in_hand_ = 0;  // taken by the server, not sent yet
  Ending ending_ = Ending::open;
  std::function<void()> changed_;
  std::atomic<bool> gone_ = false;

  friend class StreamServer;
  void set_in_hand(std::size_t bytes);
};

}  // namespace qanat
