// Several EventSinks behind one: a run journals once, and its journal, its live page and its
// exporters all hear of it.
//
// Sinks are added before the first event; from then on record() is as thread-safe as they are. It
// owns none of them.
#pragma once

#include <exception>
#include <vector>

#include "metrics/journal.h"

namespace qanat {

class TeeSink final : public EventSink {
 public:
  void add(EventSink& sink) { sinks_.push_back(&sink); }

  // Every sink gets the event, also when one before it fails; the first failure is thrown then.
  void record(const JournalEvent& event) override {
    std::exception_ptr failure;
    for (EventSink* sink : sinks_) {
      try {
        sink->record(event);
      } catch (...) {
        failure = failure ? failure : std::current_exception();
      }
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

 private:
  std::vector<EventSink*> sinks_;
};

}  // namespace qanat
