#include "transfer/transfer_ring.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/thread.h"
#include "transfer/ring_slot.h"
#include "transfer/slot_timeline.h"

namespace qanat {
namespace {

// More slots than this never help: the loader buffers ahead of the ring.
constexpr int kMaxSlots = 64;
// One is staged, one prepared and one copied at a time.
constexpr int kMaxStagingBuffers = 3;
// Readers that the consumer may submit ahead, at any depth of the ring: a stop waits for them.
constexpr int kMaxBeingRead = 3;
// Host blocks that are submitted ahead of being read: one is read, the others are there when the
// stream asks for them.
constexpr int kMaxOnHost = 3;

int num_staging_buffers(const RingOptions& options) {
  return std::min(options.slots, kMaxStagingBuffers);
}

// A stream of the ring, and the device it belongs to.
struct Lane {
  Device& device;
  DeviceStream& stream;
};

// Submits one stage between the two points that say how long it took.
template <typename Work>
void timed(const Lane& lane, SlotTimeline& way, RingStage stage, Work work) {
  way.begin(stage, lane.device, lane.stream);
  work();
  way.end(stage, lane.device, lane.stream);
}

template <typename T>
std::vector<T> to_vector(std::span<const T> values) {
  return {values.begin(), values.end()};
}

std::span<std::byte> first_bytes(DeviceMemory& memory, std::size_t bytes) {
  QANAT_CHECK(bytes <= memory.bytes().size())
      << "a batch of " << bytes << " bytes, a slot of " << memory.bytes().size();
  return memory.bytes().first(bytes);
}

// Behind everything that reads `memory`, in front of what fills it.
template <typename Owner>
void poison_before(DeviceStream& stream,
                   const std::shared_ptr<Owner>& owner,
                   DeviceMemory& memory) {
  stream.submit([owner, bytes = memory.bytes()] { poison(bytes); });
}

}  // namespace

Bytes ring_bytes_on_model(const RingOptions& options) {
  return Bytes{options.slots * options.slot_bytes.value};
}

Bytes ring_bytes_on_data(const RingOptions& options) {
  return Bytes{num_staging_buffers(options) *
               (options.slot_bytes.value + options.stage_bytes.value)};
}

TransferRing::TransferRing(const RingOptions& options, RingParts parts)
    : options_(options),
      parts_(std::move(parts)),
      free_(kMaxSlots),
      ready_(kMaxSlots),
      progress_(std::make_shared<RingProgress>()),
      copy_stream_(parts_.devices.model.make_copy_stream("copy")) {
  if (options.slots < 1 || options.slots > kMaxSlots) {
    throw Error(
        "ring slots: {}; expected 1 to {}; try --prefetch-buffer-size 3", options.slots, kMaxSlots);
  }
  if (parts_.devices.data != nullptr) {
    QANAT_CHECK(parts_.features != nullptr) << "a data device needs features to make";
    prepare_stream_ = parts_.devices.data->make_stream("prepare");
    stage_stream_ = parts_.devices.data->make_copy_stream("stage");
    make_staging_buffers();
  }
  progress_->on_done = parts_.on_done;
  progress_->target_slots = options.slots;
  add_slots(options.slots);
  feeder_ = start_thread("ring-feeder", [this](const std::stop_token& stop) { feed(stop); });
}

TransferRing::~TransferRing() {
  feeder_.request_stop();
  ready_.close();
  free_.close();
  feeder_.join();
}

std::shared_ptr<RingSlot> TransferRing::make_slot(int index) {
  Device& model = parts_.devices.model;
  auto slot = std::make_shared<RingSlot>();
  slot->index = index;
  slot->arrived = model.allocate(options_.slot_bytes);
  slot->copy_done = model.make_event();
  slot->read_done = model.make_event();
  return slot;
}

void TransferRing::make_staging_buffers() {
  Device& data = *parts_.devices.data;
  for (int i = 0; i < num_staging_buffers(options_); ++i) {
    auto staging = std::make_shared<StagingBuffer>();
    staging->stage = data.allocate(options_.stage_bytes);
    staging->prepared = data.allocate(options_.slot_bytes);
    staging->stage_done = data.make_event();
    staging->prepare_done = data.make_event();
    staging_buffers_.push_back(std::move(staging));
  }
}

void TransferRing::add_slots(int count) {
  for (int i = 0; i < count; ++i) {
    std::shared_ptr<RingSlot> slot = make_slot(slots_made_);  // or it is not counted
    ++slots_made_;
    {
      const std::lock_guard lock(progress_->mutex);
      ++progress_->live_slots;
    }
    QANAT_CHECK(free_.push(std::move(slot), {})) << "a ring that is closed";
  }
}

void TransferRing::set_slots(int slots) {
  slots = std::clamp(slots, 1, kMaxSlots);
  int missing = 0;
  {
    const std::lock_guard lock(progress_->mutex);
    progress_->target_slots = slots;
    missing = slots - progress_->live_slots;
  }
  add_slots(std::max(0, missing));
}

std::shared_ptr<RingSlot> TransferRing::take_free_slot(const std::stop_token& stop) {
  while (std::optional<std::shared_ptr<RingSlot>> slot = free_.pop(stop)) {
    const std::lock_guard lock(progress_->mutex);
    if (progress_->live_slots <= progress_->target_slots) {
      return *slot;
    }
    --progress_->live_slots;  // retired: its memory goes when its last reader is done
  }
  return nullptr;
}

void TransferRing::feed(const std::stop_token& stop) {
  std::exception_ptr failure;
  try {
    while (std::shared_ptr<RingSlot> slot = take_free_slot(stop)) {
      if (!wait_until_host_is_read(stop)) {
        break;
      }
      Interval load{.begin = Clock::now(), .end = {}};
      std::optional<Batch> batch = parts_.source(stop);
      load.end = Clock::now();
      if (!batch || !ready_.push(submit(*std::move(batch), std::move(slot), load), stop)) {
        break;
      }
    }
    ready_.close();
  } catch (...) {
    failure = std::current_exception();
    ready_.fail(failure);
  }
  const std::lock_guard lock(progress_->mutex);
  progress_->source_ended = true;
  progress_->source_failure = failure;
  progress_->changed.notify_all();
}

bool TransferRing::wait_until_host_is_read(const std::stop_token& stop) {
  std::unique_lock lock(progress_->mutex);
  const auto has_room = [this] { return progress_->on_host < kMaxOnHost; };
  if (!progress_->changed.wait(lock, stop, has_room)) {
    return false;
  }
  ++progress_->on_host;
  return true;
}

// Holds the batch until then.
std::function<void()> TransferRing::host_was_read(const std::shared_ptr<Batch>& batch) const {
  return [batch, progress = progress_] {
    const std::lock_guard lock(progress->mutex);
    --progress->on_host;
    progress->changed.notify_all();
  };
}

DeviceBatch TransferRing::submit(Batch batch,
                                 std::shared_ptr<RingSlot> slot,
                                 const Interval& load) {
  DeviceBatch to{.id = batch.id(),
                 .layout = batch.layout(),
                 .bytes = {},
                 .mel_lengths = to_vector(std::as_const(batch).mel_lengths()),
                 .token_lengths = to_vector(std::as_const(batch).token_lengths()),
                 .items = to_vector(std::as_const(batch).items()),
                 .speakers = to_vector(std::as_const(batch).speakers()),
                 .bad_rows = batch.bad_rows(),
                 .first_row = batch.first_row(),
                 .full_rows = batch.full_rows(),
                 .slot = std::move(slot),
                 .way = nullptr};
  const bool is_multi = parts_.devices.data != nullptr;
  const BatchLayout arrives =
      is_multi ? make_layout(to.layout.shape, parts_.mel_format) : to.layout;
  to.way = std::make_shared<SlotTimeline>(
      SlotTimes{.batch = to.id,
                .slot = to.slot->index,
                .work = batch.work(),
                .bytes = Bytes{static_cast<std::int64_t>(arrives.bytes)},
                .load = load,
                .stage = {},
                .prepare = {},
                .copy = {},
                .train = {}});
  // Shared by the copies that read it; the last one to finish gives the block back to its pool.
  const auto shared = std::make_shared<Batch>(std::move(batch));
  if (is_multi) {
    submit_multi(shared, to);
  } else {
    submit_single(shared, to);
  }
  {
    // Before it can arrive: whoever sees a batch arrived sees it submitted too.
    const std::lock_guard lock(progress_->mutex);
    ++progress_->submitted;
  }
  copy_stream_->then([progress = progress_] {
    const std::lock_guard lock(progress->mutex);
    ++progress->arrived;
    progress->changed.notify_all();
  });
  return to;
}

// Every stream holds what its work touches until that work is done: when a stage fails, the ones
// behind it are skipped and the slot may be given up while the ones before it still run.
void TransferRing::submit_single(const std::shared_ptr<Batch>& batch, DeviceBatch& to) {
  const std::shared_ptr<RingSlot>& slot = to.slot;
  const std::span<std::byte> target = first_bytes(*slot->arrived, to.layout.bytes);
  to.bytes = target;
  copy_stream_->wait(*slot->read_done);
  if (options_.poison == Poison::on) {
    poison_before(*copy_stream_, slot, *slot->arrived);
  }
  timed({parts_.devices.model, *copy_stream_}, *to.way, RingStage::copy, [&] {
    copy_stream_->copy(target, batch->bytes());
  });
  copy_stream_->then(host_was_read(batch));
  copy_stream_->then([slot] {});
  copy_stream_->record(*slot->copy_done);
}

void TransferRing::submit_multi(const std::shared_ptr<Batch>& batch, DeviceBatch& to) {
  const std::shared_ptr<RingSlot>& slot = to.slot;
  std::rotate(staging_buffers_.begin(), staging_buffers_.begin() + 1, staging_buffers_.end());
  const std::shared_ptr<StagingBuffer>& staging = staging_buffers_.back();
  const BatchLayout pcm = to.layout;
  to.layout = make_layout(pcm.shape, parts_.mel_format);
  const std::span<std::byte> staged = first_bytes(*staging->stage, pcm.bytes);
  const std::span<std::byte> prepared = first_bytes(*staging->prepared, to.layout.bytes);
  const std::span<std::byte> target = first_bytes(*slot->arrived, to.layout.bytes);
  to.bytes = target;

  stage_stream_->wait(*slot->read_done);
  stage_stream_->wait(*staging->prepare_done);  // of the last batch in this buffer
  if (options_.poison == Poison::on) {
    poison_before(*stage_stream_, staging, *staging->stage);
  }
  timed({*parts_.devices.data, *stage_stream_}, *to.way, RingStage::stage, [&] {
    stage_stream_->copy(staged, batch->bytes());
  });
  stage_stream_->then(host_was_read(batch));
  stage_stream_->then([staging] {});
  stage_stream_->record(*staging->stage_done);

  prepare_stream_->wait(*staging->stage_done);
  if (staging->copied_to != nullptr) {
    prepare_stream_->wait(*staging->copied_to->copy_done);
  }
  if (options_.poison == Poison::on) {
    poison_before(*prepare_stream_, staging, *staging->prepared);
  }
  timed({*parts_.devices.data, *prepare_stream_}, *to.way, RingStage::prepare, [&] {
    prepare_stream_->submit([staging,
                             features = parts_.features.get(),
                             from = ConstBlockView{.layout = pcm, .bytes = staged},
                             into = BlockView{.layout = to.layout, .bytes = prepared}] {
      features->extract(from, into);
    });
  });
  prepare_stream_->record(*staging->prepare_done);

  copy_stream_->wait(*staging->prepare_done);
  if (options_.poison == Poison::on) {
    poison_before(*copy_stream_, slot, *slot->arrived);
  }
  timed({parts_.devices.model, *copy_stream_}, *to.way, RingStage::copy, [&] {
    copy_stream_->copy(target, prepared);
  });
  copy_stream_->then([slot, staging] {});
  copy_stream_->record(*slot->copy_done);
  staging->copied_to = slot;
}

std::optional<DeviceBatch> TransferRing::next(DeviceStream& reader, const std::stop_token& stop) {
  {
    RingProgress& progress = *progress_;
    std::unique_lock lock(progress.mutex);
    const auto has_room = [&progress] {
      return progress.being_read < std::min(progress.target_slots, kMaxBeingRead);
    };
    if (!has_room()) {
      const Clock::time_point begin = Clock::now();
      const bool room = progress.changed.wait(lock, stop, has_room);
      progress.device_wait.add(seconds_since(begin));
      if (!room) {
        return std::nullopt;
      }
    }
  }
  std::optional<DeviceBatch> batch = ready_.pop(stop);
  if (batch) {
    const std::lock_guard lock(progress_->mutex);
    ++progress_->handed_out;
  }
  if (batch) {
    reader.wait(*batch->slot->copy_done);
    batch->way->begin(RingStage::train, parts_.devices.model, reader);
  }
  return batch;
}

void TransferRing::release(DeviceBatch batch, DeviceStream& reader) {
  {
    const std::lock_guard lock(progress_->mutex);
    ++progress_->being_read;
  }
  batch.way->end(RingStage::train, parts_.devices.model, reader);
  reader.record(*batch.slot->read_done);
  reader.then([progress = progress_, slot = batch.slot, way = batch.way] {
    if (progress->on_done) {
      progress->on_done(way->times());
    }
    const std::lock_guard lock(progress->mutex);
    --progress->being_read;
    progress->changed.notify_all();
  });
  // Free for the host: what is submitted next to it runs behind read_done.
  (void)free_.push(std::move(batch.slot), {});
}

bool TransferRing::wait_until_warm(int count, Seconds timeout, const std::stop_token& stop) {
  RingProgress& progress = *progress_;
  std::unique_lock lock(progress.mutex);
  const auto warm = [&progress, count] {
    const std::int64_t wanted = std::min(count, progress.target_slots);
    const bool last_is_there = progress.source_ended && progress.arrived == progress.submitted;
    return last_is_there || progress.arrived - progress.handed_out >= wanted;
  };
  return progress.changed.wait_for(lock, stop, timeout, warm);
}

std::exception_ptr TransferRing::source_failure() const {
  const std::lock_guard lock(progress_->mutex);
  return progress_->source_failure;
}

RingStats TransferRing::stats() const {
  RingStats stats;
  stats.ready = ready_.stats();
  stats.free = free_.stats();
  const std::lock_guard lock(progress_->mutex);
  stats.slots = progress_->live_slots;
  stats.submitted = progress_->submitted;
  stats.batches = progress_->handed_out;
  stats.device_wait = progress_->device_wait;
  return stats;
}

}  // namespace qanat
