// Journals as tests write and read them.
#pragma once

#include <filesystem>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "metrics/journal.h"
#include "metrics/journal_event.h"
#include "metrics/journal_follower.h"

namespace qanat {

// Aborts when the line is damaged.
inline JournalEntry entry_of(nlohmann::json line) {
  return to_journal_entry(std::move(line)).value();
}

inline nlohmann::json line_of(const JournalEvent& event, double time) {
  nlohmann::json line = to_fields(event);
  line["kind"] = kind_of(event);
  line["t"] = time;
  return line;
}

// Keeps events in memory. Thread-safe.
class EventList final : public EventSink {
 public:
  void record(const JournalEvent& event) override {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  std::vector<JournalEvent> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  // Those of one kind.
  template <typename Event>
  std::vector<Event> events() const {
    std::vector<Event> found;
    for (const JournalEvent& event : events()) {
      if (const Event* one = std::get_if<Event>(&event)) {
        found.push_back(*one);
      }
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;  // guards events_
  std::vector<JournalEvent> events_;
};

struct JournalContents {
  std::vector<JournalEntry> entries;  // headers included
  int damaged_lines = 0;
};

// Those of one kind.
template <typename Event>
std::vector<Event> events_of(const JournalContents& contents) {
  std::vector<Event> found;
  for (const JournalEntry& entry : contents.entries) {
    if (const Event* one = std::get_if<Event>(&entry.event)) {
      found.push_back(*one);
    }
  }
  return found;
}

// All of a short journal at once. Fails as visit_journal().
inline Result<JournalContents> read_journal(const std::filesystem::path& path) {
  JournalContents contents;
  const Result<int> damaged = visit_journal(
      path, [&contents](const JournalEntry& entry) { contents.entries.push_back(entry); });
  if (!damaged) {
    return damaged.failure();
  }
  contents.damaged_lines = damaged.value();
  return contents;
}

}  // namespace qanat
