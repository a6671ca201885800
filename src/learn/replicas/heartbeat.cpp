#include "replicas/heartbeat.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/thread.h"

namespace qanat {
namespace {

constexpr const char* kFailed = "failed";
constexpr int kRoundsUntilGone = 4;  // without a sign, once a connection broke

std::string sign_name(int rank) {
  return fmt::format("sign/{}", rank);
}

std::string known_name(int rank) {
  return fmt::format("known/{}", rank);
}

Clock::duration to_duration(Seconds seconds) {
  return std::chrono::duration_cast<Clock::duration>(seconds);
}

std::string to_text(const LostReplica& lost) {
  return nlohmann::json{{"rank", lost.rank},
                        {"step", lost.step},
                        {"silence", lost.silence.count()},
                        {"reason", lost.reason}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<LostReplica> to_lost(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return std::nullopt;
  }
  return LostReplica{.rank = json.value("rank", 0),
                     .step = json.value("step", std::int64_t{0}),
                     .silence = Seconds(json.value("silence", 0.0)),
                     .reason = json.value("reason", std::string())};
}

}  // namespace

Heartbeat::Heartbeat(std::unique_ptr<SharedTexts> texts, const HeartbeatOptions& options)
    : texts_(std::move(texts)),
      options_(options),
      interval_(std::clamp(options.timeout / 20, Seconds(0.05), Seconds(1))),
      signs_(static_cast<std::size_t>(options.world), Sign{.text = {}, .heard = Clock::now()}),
      reached_(Clock::now()),
      last_round_(Clock::now()),
      thread_(start_thread("heartbeat", [this](const std::stop_token& stop) { run(stop); })) {}

Heartbeat::~Heartbeat() {
  thread_.request_stop();
}

void Heartbeat::at_step(std::int64_t step) {
  const std::lock_guard lock(mutex_);
  step_ = step;
}

std::int64_t Heartbeat::own_step() const {
  const std::lock_guard lock(mutex_);
  return step_;
}

void Heartbeat::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    note_pause(Clock::now());
    try {
      if (is_store_there()) {
        beat();
      }
    } catch (const std::exception&) {
      // The store is out of reach; for how long is what counts.
    }
    std::unique_lock lock(mutex_);
    ++rounds_;
    changed_.notify_all();
    changed_.wait_for(lock, stop, to_duration(interval_), [] { return false; });
  }
}

bool Heartbeat::is_store_there() const {
  const std::lock_guard lock(mutex_);
  return !is_store_gone_;
}

// A process that was stopped itself has heard nobody; that is not the others' fault.
void Heartbeat::note_pause(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (now - last_round_ > to_duration(options_.timeout / 2)) {
    for (Sign& sign : signs_) {
      sign.heard = now;
    }
    reached_ = now;
  }
  last_round_ = now;
}

void Heartbeat::beat() {
  texts_->set(sign_name(options_.rank), fmt::format("{} {}", own_step(), rounds_));
  for (int rank = 0; rank < options_.world; ++rank) {
    if (rank != options_.rank) {
      read_sign(rank);
    }
  }
  if (const std::optional<std::string> failed = texts_->get(kFailed)) {
    const std::lock_guard lock(mutex_);
    failed_ = to_lost(*failed);
  }
  const std::lock_guard lock(mutex_);
  reached_ = Clock::now();
}

void Heartbeat::read_sign(int rank) {
  const std::optional<std::string> text = texts_->get(sign_name(rank));
  const std::lock_guard lock(mutex_);
  Sign& sign = signs_[static_cast<std::size_t>(rank)];
  if (text && *text != sign.text) {
    sign = {.text = *text, .step = std::atoll(text->c_str()), .heard = Clock::now()};
  }
}

// Called with the mutex held. Steps are taken together, so the one that is gone had come to where
// this process is. Rank 0 serves the store: who cannot reach it has lost that one.
std::optional<LostReplica> Heartbeat::silent_for(Seconds limit) const {
  const Clock::time_point now = Clock::now();
  if (options_.rank != 0 && now - reached_ > to_duration(limit)) {
    return LostReplica{
        .rank = 0, .step = std::max(signs_[0].step, step_), .silence = Seconds(now - reached_)};
  }
  for (int rank = 0; rank < options_.world; ++rank) {
    const Sign& sign = signs_[static_cast<std::size_t>(rank)];
    // Silence is judged by what could be read, so not beyond the last time the store answered.
    if (rank != options_.rank && reached_ - sign.heard > to_duration(limit)) {
      return LostReplica{
          .rank = rank, .step = std::max(sign.step, step_), .silence = Seconds(now - sign.heard)};
    }
  }
  return std::nullopt;
}

std::optional<LostReplica> Heartbeat::lost() const {
  const std::lock_guard lock(mutex_);
  if (is_closed_) {
    return std::nullopt;
  }
  return failed_ ? failed_ : silent_for(options_.timeout);
}

std::optional<LostReplica> Heartbeat::find_lost() {
  const Seconds limit = interval_ * kRoundsUntilGone;
  const Clock::time_point deadline = Clock::now() + to_duration(2 * limit + Seconds(1));
  std::unique_lock lock(mutex_);
  while (!failed_ && !silent_for(limit) && Clock::now() < deadline) {
    changed_.wait_for(lock, to_duration(interval_));
  }
  return failed_ ? failed_ : silent_for(limit);
}

LostReplica Heartbeat::publish(const LostReplica& lost) noexcept {
  try {
    {
      const std::lock_guard lock(mutex_);
      if (failed_) {
        return *failed_;
      }
      // Rank 0 serves the store: others find out themselves. One that is only stopped would take a
      // connection and never answer.
      if (lost.rank == 0 && options_.rank != 0) {
        is_store_gone_ = true;
        failed_ = lost;
        return lost;
      }
    }
    const std::optional<LostReplica> first = to_lost(texts_->set_once(kFailed, to_text(lost)));
    const std::lock_guard lock(mutex_);
    failed_ = first ? first : lost;
    return *failed_;
  } catch (const std::exception&) {
    // Whoever serves the store is gone; each finds that out itself. It is not asked again.
    const std::lock_guard lock(mutex_);
    is_store_gone_ = true;
    failed_ = lost;
    return lost;
  }
}

void Heartbeat::publish_failure(std::string_view reason) noexcept {
  try {
    publish({.rank = options_.rank, .step = own_step(), .reason = std::string(reason)});
  } catch (const std::exception&) {
    // Out of memory: the others will miss this process.
  }
}

void Heartbeat::wait_until_others_know() noexcept {
  try {
    if (!is_store_there()) {
      return;
    }
    texts_->set(known_name(options_.rank), "yes");
    if (options_.rank != 0) {
      return;
    }
    const Seconds limit = interval_ * kRoundsUntilGone;
    const Clock::time_point deadline = Clock::now() + to_duration(2 * limit + Seconds(1));
    std::unique_lock lock(mutex_);
    for (int rank = 1; rank < options_.world; ++rank) {
      const Sign& sign = signs_[static_cast<std::size_t>(rank)];
      while (Clock::now() < deadline && Clock::now() - sign.heard < to_duration(limit)) {
        lock.unlock();
        const bool knows = texts_->get(known_name(rank)).has_value();
        lock.lock();
        if (knows) {
          break;
        }
        changed_.wait_for(lock, to_duration(interval_));
      }
    }
  } catch (const std::exception&) {
    // They will find out.
  }
}

void Heartbeat::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

}  // namespace qanat
