// Signs of life of the processes of a group, in the store where they met: who is gone is found
// here, because a broken connection does not say which process broke it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/message.h"
#include "base/time.h"

namespace qanat {

// Texts by name, shared by all processes. Every call ends in bounded time and throws when the store
// cannot be reached.
class SharedTexts {
 public:
  virtual ~SharedTexts() = default;
  virtual void set(const std::string& name, const std::string& text) = 0;
  virtual std::optional<std::string> get(const std::string& name) = 0;
  // What is there afterwards: the text of whoever came first.
  virtual std::string set_once(const std::string& name, const std::string& text) = 0;
};

struct LostReplica {
  int rank = 0;
  std::int64_t step = 0;
  Seconds silence{0};
  std::string reason{};  // what it said itself; empty when it did not

  bool operator==(const LostReplica&) const = default;
};

struct HeartbeatOptions {
  int rank = 0;
  int world = 1;
  Seconds timeout{60.0};
};

// Thread-safe. The destructor waits for one round of signs, which the store bounds.
class Heartbeat {
 public:
  Heartbeat(std::unique_ptr<SharedTexts> texts, const HeartbeatOptions& options);
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;
  ~Heartbeat();

  void at_step(std::int64_t step);

  // Who has been silent for the timeout, or has said that it goes.
  std::optional<LostReplica> lost() const;
  // After a connection broke: who is gone, found soon. Waits, but not for long; nothing when all
  // still show signs.
  std::optional<LostReplica> find_lost();
  // Tells the others; whom they were told of first is returned.
  LostReplica publish(const LostReplica& lost) noexcept;
  // Says that this process failed.
  void publish_failure(std::string_view reason) noexcept;
  // For the process that serves the store: until the others have read why, but not for long.
  void wait_until_others_know() noexcept;
  // No more judgements: the run has ended and processes go as they please.
  void close();

 private:
  struct Sign {
    std::string text;
    std::int64_t step = 0;
    Clock::time_point heard;
  };

  void run(const std::stop_token& stop);
  void beat();
  void read_sign(int rank);
  bool is_store_there() const;
  void note_pause(Clock::time_point now);
  std::optional<LostReplica> silent_for(Seconds limit) const;
  std::int64_t own_step() const;

  const std::unique_ptr<SharedTexts> texts_;
  const HeartbeatOptions options_;
  const Seconds interval_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::int64_t step_ = 0;
  std::int64_t rounds_ = 0;
  std::vector<Sign> signs_;            // by rank
  Clock::time_point reached_;          // the store, last
  Clock::time_point last_round_;       // began
  std::optional<LostReplica> failed_;  // as published by whoever came first
  bool is_store_gone_ = false;         // it is not asked again
  bool is_closed_ = false;
  std::jthread thread_;
};

}  // namespace qanat
