// A batch on the model device, on loan from a slot of the transfer ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "batch/batch.h"

namespace qanat {

struct RingSlot;
struct SlotTimes;

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

  std::shared_ptr<RingSlot> slot;    // shared with the ring; back in it after release()
  std::shared_ptr<SlotTimes> times;  // shared with the streams that fill them in
};

}  // namespace qanat
