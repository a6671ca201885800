#include "voice_server/speech_queue.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/thread.h"

namespace qanat {

SpeechQueue::SpeechQueue(SpeechQueueOptions options, const VoiceEngine& engine)
    : options_(options), engine_(engine) {
  for (int i = 0; i < options_.workers; ++i) {
    threads_.push_back(start_thread(fmt::format("voice-{}", i),
                                    [this](const std::stop_token& stop) { work(stop); }));
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return num_started_ == options_.workers; });
  if (failure_) {
    const std::exception_ptr failure = failure_;
    lock.unlock();
    threads_.clear();
    std::rethrow_exception(failure);
  }
}

SpeechQueue::~SpeechQueue() {
  for (std::jthread& thread : threads_) {
    thread.request_stop();
  }
}

bool SpeechQueue::submit(const std::string& client, std::shared_ptr<SpeechJob> job) {
  {
    const std::lock_guard lock(mutex_);
    if (num_jobs_ >= options_.most_jobs) {
      return false;
    }
    const auto limit = std::chrono::duration_cast<Clock::duration>(options_.time_limit);
    auto found = std::ranges::find(clients_, client, &Client::name);
    if (found == clients_.end()) {
      clients_.push_back({.name = client});
      found = std::prev(clients_.end());
    }
    const Clock::time_point now = Clock::now();
    found->jobs.push_back({.job = std::move(job), .deadline = now + limit, .ready_since = now});
    ++num_jobs_;
    ++looks_;
  }
  changed_.notify_all();
  return true;
}

void SpeechQueue::look_again() {
  {
    const std::lock_guard lock(mutex_);
    ++looks_;
  }
  changed_.notify_all();
}

std::size_t SpeechQueue::num_jobs() const {
  const std::lock_guard lock(mutex_);
  return num_jobs_;
}

std::size_t SpeechQueue::num_running() const {
  const std::lock_guard lock(mutex_);
  return num_running_;
}

void SpeechQueue::work(const std::stop_token& stop) {
  std::unique_ptr<SpeechMaker> maker;
  try {
    maker = engine_.make_maker();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    ++num_started_;
  }
  changed_.notify_all();
  while (maker != nullptr) {
    std::optional<Turn> turn = next_turn(stop);
    if (!turn) {
      return;
    }
    const SpeechJob::Next next = turn->entry.job->make_part(*maker);
    put_back(std::move(*turn), next);
  }
}

std::optional<SpeechQueue::Turn> SpeechQueue::next_turn(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    std::vector<std::shared_ptr<SpeechJob>> late;
    const std::vector<std::shared_ptr<SpeechJob>> left = take_ended(late);
    std::optional<Turn> turn = pick();
    if (!late.empty() || !left.empty()) {
      lock.unlock();
      std::ranges::for_each(late, &SpeechJob::expire);
      std::ranges::for_each(left, &SpeechJob::on_cancel);
      lock.lock();
    }
    if (turn) {
      return turn;
    }
    const std::uint64_t seen = looks_;
    const auto has_news = [&] { return looks_ != seen; };
    if (const auto deadline = next_deadline()) {
      (void)changed_.wait_until(lock, stop, *deadline, has_news);
    } else {
      (void)changed_.wait(lock, stop, has_news);
    }
  }
  return std::nullopt;
}

// Takes out who has left and who is out of time. With the lock held.
std::vector<std::shared_ptr<SpeechJob>> SpeechQueue::take_ended(
    std::vector<std::shared_ptr<SpeechJob>>& late) {
  const Clock::time_point now = Clock::now();
  std::vector<std::shared_ptr<SpeechJob>> left;
  for (Client& client : clients_) {
    std::erase_if(client.jobs, [&](Entry& entry) {
      const bool cancelled = entry.job->is_cancelled();
      if (!cancelled && !is_late(entry, now)) {
        return false;
      }
      (cancelled ? left : late).push_back(entry.job);
      --num_jobs_;
      return true;
    });
  }
  std::erase_if(clients_, [](const Client& one) { return one.jobs.empty() && one.running == 0; });
  return left;
}

bool SpeechQueue::is_late(Entry& entry, Clock::time_point now) const {
  if (!entry.job->is_ready()) {
    entry.ready_since.reset();
  } else if (!entry.ready_since) {
    entry.ready_since = now;
  }
  return now >= entry.deadline ||
         (entry.ready_since && Seconds(now - *entry.ready_since) >= options_.wait_limit);
}

// The first ready job of the client whose turn it is; both go to the end. With the lock held.
std::optional<SpeechQueue::Turn> SpeechQueue::pick() {
  for (auto client = clients_.begin(); client != clients_.end(); ++client) {
    const auto ready = std::ranges::find_if(
        client->jobs, [](const Entry& entry) { return entry.job->is_ready(); });
    if (ready == client->jobs.end()) {
      continue;
    }
    Turn turn{.client = client->name, .entry = std::move(*ready)};
    client->jobs.erase(ready);
    ++client->running;
    ++num_running_;
    clients_.splice(clients_.end(), clients_, client);
    return turn;
  }
  return std::nullopt;
}

void SpeechQueue::put_back(Turn turn, SpeechJob::Next next) {
  std::shared_ptr<SpeechJob> ended;  // is destroyed without the lock
  {
    const std::lock_guard lock(mutex_);
    const auto client = std::ranges::find(clients_, turn.client, &Client::name);
    --client->running;
    --num_running_;
    if (next == SpeechJob::Next::more) {
      turn.entry.ready_since = Clock::now();
      client->jobs.push_back(std::move(turn.entry));
    } else {
      ended = std::move(turn.entry.job);
      --num_jobs_;
    }
    ++looks_;
  }
  changed_.notify_all();
}

std::optional<Clock::time_point> SpeechQueue::next_deadline() const {
  std::optional<Clock::time_point> first;
  for (const Client& client : clients_) {
    for (const Entry& entry : client.jobs) {
      Clock::time_point ends = entry.deadline;
      if (entry.ready_since) {
        const auto wait = std::chrono::duration_cast<Clock::duration>(options_.wait_limit);
        ends = std::min(ends, *entry.ready_since + wait);
      }
      first = first ? std::min(*first, ends) : ends;
    }
  }
  return first;
}

}  // namespace qanat
