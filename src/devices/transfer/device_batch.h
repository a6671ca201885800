// A batch on the model device, on loan from a slot of the transfer ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/quantity.h"
#include "base/time.h"
#include "batch/batch.h"

namespace qanat {

struct Interval {
  std::optional<Clock::time_point> begin;
  std::optional<Clock::time_point> end;

  bool complete() const { return begin && end; }
  Seconds length() const { return complete() ? Seconds(*end - *begin) : Seconds{0}; }
};

// When each stage of one batch's way through the ring began and ended: a row of the slot timeline.
//
// A stage that does not exist in a mode stays empty.
struct SlotTimes {
  BatchId batch;
  int slot = 0;
  Seconds work{0};   // of all workers, to fill the host batch
  Bytes bytes;       // that go to the model device
  Interval load;     // the feeder waited for the host batch
  Interval stage;    // host to data device (Multi-GPU)
  Interval prepare;  // features on the data device (Multi-GPU)
  Interval copy;     // to the model device
  Interval train;    // between the reader's first and last work on it
};

struct RingSlot;
class SlotTimeline;

// Has one owner. Give it to TransferRing::release() once the work that reads it is submitted; a
// batch that is destroyed instead takes its slot with it.
struct DeviceBatch {
  BatchId id;
  BatchLayout layout;
  std::span<const std::byte> bytes;  // device memory, laid out by `layout`

  // What the host needs to know without asking the device.
  std::vector<std::int32_t> mel_lengths;    // [rows]
  std::vector<std::int32_t> token_lengths;  // [rows]
  std::vector<std::uint32_t> items;         // [rows]
  std::vector<std::int32_t> speakers;       // [rows]
  int bad_rows = 0;                         // as in Batch
  int first_row = 0;                        // as in Batch
  int full_rows = 0;                        // as in Batch

  std::shared_ptr<RingSlot> slot;     // shared with the ring; back in it after release()
  std::shared_ptr<SlotTimeline> way;  // shared with the ring; absent when it came another way
};

}  // namespace qanat
