// Holds the first step back until the pipeline is warm, so that training does not start by
// waiting: a mark to reach, not a time to sleep.
#pragma once

#include <stop_token>
#include <string>

#include "app/device_plan.h"
#include "base/message.h"
#include "base/time.h"
#include "pipeline/loader.h"
#include "transfer/transfer_ring.h"

namespace qanat {

enum class GateOpening {
  low_water,    // the ring is full and the ready buffer has reached its mark
  whole_data,   // everything there is has been loaded
  longest_wait  // the delay was over, or the first batch came only after it
};

const char* to_string(GateOpening opening);

struct GateResult {
  GateOpening opening = GateOpening::low_water;
  Seconds waited{0};
  int ready = 0;   // batches, on the device side and in the loader
  int wanted = 0;  // the mark
  bool stopped = false;
};

struct GateMarks {
  int slots = 1;  // of the ring, submitted ahead
  int ready = 1;  // batches in the loader's ready buffer
};

// A quarter of the window, behind a ring that is full or, when it is deep, half full.
GateMarks low_water_marks(int slots, int window);

// Waits for the marks, at most `timeout`, and in any case for a first batch. Throws what the
// loader failed with.
GateResult open_gate(TransferRing& ring,
                     const Loader& loader,
                     Seconds timeout,
                     const std::stop_token& stop);

// What a run says before and after, in the contract's words.
Message describe_wait(const DevicePlan& plan, Seconds timeout, Symbols symbols);
Message describe_opening(const GateResult& result, Symbols symbols);

}  // namespace qanat
