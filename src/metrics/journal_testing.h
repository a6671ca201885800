// Lines of a journal as tests write them.
#pragma once

#include <utility>

#include <nlohmann/json.hpp>

#include "metrics/journal_event.h"

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

}  // namespace qanat
