// What a journal that goes on in a new file repeats of everything before, as a short journal of the
// same run: the steps joined to a few hundred lines, and of every other kind the first line, the
// newest and some of those between. About a megabyte at most, however long the run.
//
// From earlier sessions it has what was learnt: steps, validations and renders.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "metrics/binned_series.h"
#include "metrics/journal_event.h"
#include "metrics/thinned_list.h"

namespace qanat {

// The line of an event, with its end.
std::string to_journal_line(Seconds time, const JournalEvent& event);

// Not thread-safe.
class JournalRecap {
 public:
  // How many of each kind are kept; of validations there may be so many more.
  static constexpr std::size_t kMaxLines = 64;
  static constexpr std::size_t kMaxValidations = 500;

  // `line` is that of the event, as to_journal_line() has it.
  void add(Seconds time, const JournalEvent& event, std::string_view line);
  // For an event that was read back.
  void add(const JournalEntry& entry);

  // In the order of the run, each with its end.
  std::vector<std::string> lines() const;

 private:
  struct Kept {
    std::int64_t number = 0;  // of the event
    std::string line;
  };
  struct Steps {
    std::int64_t number = 0;  // of the last one's event
    Seconds time{0};
    PastSteps steps;

    Steps& operator+=(const Steps& later);
  };

  void begin_session();
  void add_steps(Seconds time, const PastSteps& steps);

  std::int64_t number_ = 0;  // of the newest event
  BinnedSeries<Steps> steps_;
  std::map<std::string, ThinnedList<Kept>, std::less<>> lines_;
};

}  // namespace qanat
