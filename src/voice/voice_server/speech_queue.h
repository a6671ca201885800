// Who is spoken for next. As many workers as cores; each makes one part of one job, then looks
// again. Clients take turns, and so do the jobs of a client: a long text delays nobody for longer
// than a part of it, and who sends many gets no more than who sends one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "voice_server/voice_engine.h"

namespace qanat {

// Something to be spoken. Its methods are called by one worker at a time.
class SpeechJob {
 public:
  virtual ~SpeechJob() = default;

  enum class Next { more, done };
  // Makes some sound and hands it on. Must not throw.
  virtual Next make_part(SpeechMaker& maker) = 0;
  // It took too long.
  virtual void expire() = 0;

  // From any thread: whether the client has room for more; and whether it has left.
  virtual bool is_ready() const = 0;
  virtual bool is_cancelled() const = 0;
  virtual void on_cancel() = 0;
};

struct SpeechQueueOptions {
  int workers = 1;
  std::size_t most_jobs = 100;  // that are spoken or wait
  Seconds wait_limit{60};       // that a job waits for a worker; who reads slowly is not counted
  Seconds time_limit{900};      // from submit() to the end of a job
};

// Fixture. The destructor stops the workers; it waits for the parts they are at.
class SpeechQueue {
 public:
  // Returns when every worker can speak. Throws Error when one cannot.
  SpeechQueue(SpeechQueueOptions options, const VoiceEngine& engine);
  SpeechQueue(const SpeechQueue&) = delete;
  SpeechQueue& operator=(const SpeechQueue&) = delete;
  ~SpeechQueue();

  // From any thread. False when there are too many: the job was not taken.
  bool submit(const std::string& client, std::shared_ptr<SpeechJob> job);
  // Something about a job has changed: it is ready, or cancelled.
  void look_again();

  std::size_t num_jobs() const;
  std::size_t num_running() const;

 private:
  struct Entry {
    std::shared_ptr<SpeechJob> job;  // shared with the session that may cancel it
    Clock::time_point deadline;
    std::optional<Clock::time_point> ready_since{};
  };
  struct Client {
    std::string name;
    std::deque<Entry> jobs{};
    int running = 0;
  };
  struct Turn {
    std::string client;
    Entry entry;
  };

  void work(const std::stop_token& stop);
  std::optional<Turn> next_turn(const std::stop_token& stop);
  std::optional<Turn> pick();
  void put_back(Turn turn, SpeechJob::Next next);
  std::vector<std::shared_ptr<SpeechJob>> take_ended(std::vector<std::shared_ptr<SpeechJob>>& late);
  bool is_late(Entry& entry, Clock::time_point now) const;
  std::optional<Clock::time_point> next_deadline() const;

  const SpeechQueueOptions options_;
  const VoiceEngine& engine_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::list<Client> clients_;  // whose turn it is stands in front
  std::size_t num_jobs_ = 0;
  std::size_t num_running_ = 0;
  std::uint64_t looks_ = 0;  // counts what may have made a job ready
  int num_started_ = 0;
  std::exception_ptr failure_;         // of a worker that could not start
  std::vector<std::jthread> threads_;  // last: use everything above
};

}  // namespace qanat
