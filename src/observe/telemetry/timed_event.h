// An event and when it happened: exporters look at it later, on threads of their own.
#pragma once

#include "base/time.h"
#include "metrics/journal.h"

namespace qanat {

struct TimedEvent {
  JournalEvent event;
  Clock::time_point at = Clock::now();
};

}  // namespace qanat
