// What the tests and the benchmark of the ring share: batches with contents that can be checked,
// devices that forget an event, and work that takes a random time.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch.h"
#include "device/host/host_device.h"
#include "transfer/transfer_ring.h"

namespace qanat::ring_fixture {

inline constexpr BatchShape kShape{.rows = 2, .frames = 6, .tokens = 3};
inline const PayloadFormat kMel{.kind = PayloadKind::mel_f32, .mel_bins = 4, .hop = 2};
inline const PayloadFormat kPcm{.kind = PayloadKind::pcm_s16, .mel_bins = 4, .hop = 2};

inline std::int32_t token_of(std::int64_t batch) {
  return static_cast<std::int32_t>(1 + batch % 1000);
}

// Batches 0, 1, ... count-1 of either payload; every payload value and token is token_of(batch).
class NumberedBatches {
 public:
  NumberedBatches(const PayloadFormat& format, std::int64_t count)
      : layout_(make_layout(kShape, format)),
        count_(count),
        pool_(std::make_shared<BlockPool>(layout_.bytes, make_host_allocator())) {}

  std::optional<Batch> next() {
    if (made_ == count_) {
      return std::nullopt;
    }
    Batch batch(pool_, layout_, {.epoch = 0, .index = made_}, 0);
    const std::int32_t value = token_of(made_++);
    std::ranges::fill(batch.mel(), static_cast<float>(value));
    std::ranges::fill(batch.pcm(), static_cast<std::int16_t>(value));
    std::ranges::fill(batch.tokens(), value);
    std::ranges::fill(batch.mel_lengths(), kShape.frames);
    std::ranges::fill(batch.token_lengths(), kShape.tokens);
    return batch;
  }
  const BatchLayout& layout() const { return layout_; }
  PoolStats pool() const { return pool_->stats(); }

 private:
  const BatchLayout layout_;
  const std::int64_t count_;
  std::int64_t made_ = 0;
  std::shared_ptr<BlockPool> pool_;  // shared with the batches
};

template <typename T>
std::span<T> part(std::span<std::byte> block, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<T*>(block.data() + offset), count};
}
template <typename T>
std::span<const T> part(std::span<const std::byte> block, std::size_t offset, std::size_t count) {
  return {reinterpret_cast<const T*>(block.data() + offset), count};
}

// How many payload values and tokens of the block are not those of batch `index`.
inline std::int64_t count_wrong(std::span<const std::byte> block,
                                const BatchLayout& layout,
                                std::int64_t index) {
  const std::int32_t value = token_of(index);
  const auto rows = static_cast<std::size_t>(layout.shape.rows);
  const auto mel = part<float>(block, layout.payload, rows * layout.row_values());
  const auto tokens = part<std::int32_t>(
      block, layout.tokens, rows * static_cast<std::size_t>(layout.shape.tokens));
  return std::ranges::count_if(mel, [&](float v) { return v != static_cast<float>(value); }) +
         std::ranges::count_if(tokens, [&](std::int32_t v) { return v != value; });
}

// Keeps the calling thread busy; not a sleep, because a sleep is never as short as a race.
inline void spin(std::chrono::nanoseconds time) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

// Delays between 0 and `most`, half of them 0.
class RandomDelay {
 public:
  RandomDelay(std::uint32_t seed, std::chrono::nanoseconds most) : random_(seed), most_(most) {}
  void operator()() {
    const std::uint64_t draw = random_();
    if ((draw & 1U) != 0) {
      spin(most_ * static_cast<std::int64_t>(draw >> 8U & 0xFFFFU) / 65536);
    }
  }

 private:
  std::minstd_rand random_;
  std::chrono::nanoseconds most_;
};

// The value of a row's waveform becomes the value of its mel.
class CopyingFeatures : public DeviceFeatures {
 public:
  explicit CopyingFeatures(RandomDelay delay) : delay_(delay) {}

  void extract(const ConstBlockView& pcm, const BlockView& mel) override {
    const auto rows = static_cast<std::size_t>(pcm.layout.shape.rows);
    const auto from =
        part<std::int16_t>(pcm.bytes, pcm.layout.payload, rows * pcm.layout.row_values());
    const auto tokens_count = rows * static_cast<std::size_t>(pcm.layout.shape.tokens);
    const auto tokens = part<std::int32_t>(pcm.bytes, pcm.layout.tokens, tokens_count);
    delay_();
    std::ranges::fill(part<float>(mel.bytes, mel.layout.payload, rows * mel.layout.row_values()),
                      static_cast<float>(from.back()));
    std::ranges::copy(tokens,
                      part<std::int32_t>(mel.bytes, mel.layout.tokens, tokens_count).begin());
  }

 private:
  RandomDelay delay_;
};

// The events of a ring by the order in which a device makes them for each slot.
enum class Edge { none, copy_done, read_done, stage_done, prepare_done };

// A wait that is left out: for one kind of event, by streams of one name ("": by all).
struct ForgottenWait {
  Edge edge = Edge::none;
  std::string by;
};

// Streams of such a device do not wait for one kind of event. The first `ring_events` that it makes
// are the ring's, made by one thread; those after them tell times, and several threads make them.
class ForgetfulDevice : public Device {
 public:
  ForgetfulDevice(HostDeviceOptions options, ForgottenWait forgotten, int ring_events)
      : inner_(std::move(options)), forgotten_(std::move(forgotten)), ring_events_(ring_events) {}

  DeviceId id() const override { return inner_.id(); }
  Message description() const override { return inner_.description(); }
  std::unique_ptr<DeviceMemory> allocate(Bytes bytes) override { return inner_.allocate(bytes); }
  const MemoryBudget& memory() const override { return inner_.memory(); }
  DeviceStats stats() const override { return inner_.stats(); }

  std::unique_ptr<DeviceEvent> make_event() override {
    const int made = made_++;
    if (made >= ring_events_) {
      return inner_.make_event();
    }
    const bool second = made % 2 == 1;
    const bool model = id().index == 1;
    const Edge edge = model ? (second ? Edge::read_done : Edge::copy_done)
                            : (second ? Edge::prepare_done : Edge::stage_done);
    std::unique_ptr<DeviceEvent> event = inner_.make_event();
    if (edge == forgotten_.edge) {
      lost_.push_back(event.get());
    }
    return event;
  }

  std::unique_ptr<DeviceStream> make_stream(const std::string& name) override {
    const bool forgetful = forgotten_.by.empty() || forgotten_.by == name;
    return std::make_unique<Stream>(inner_.make_stream(name), forgetful ? this : nullptr);
  }

  // Whether streams (of any device) should not wait for `event`.
  bool forgets(const DeviceEvent& event) const {
    return lost_here(event) || (peer_ != nullptr && peer_->lost_here(event));
  }
  void set_peer(const ForgetfulDevice& peer) { peer_ = &peer; }

 private:
  bool lost_here(const DeviceEvent& event) const {
    return std::ranges::find(lost_, &event) != lost_.end();
  }

  class Stream : public DeviceStream {
   public:
    Stream(std::unique_ptr<DeviceStream> inner, const ForgetfulDevice* forgetful)
        : inner_(std::move(inner)), forgetful_(forgetful) {}
    void submit(std::function<void()> work) override { inner_->submit(std::move(work)); }
    void then(std::function<void()> callback) override { inner_->then(std::move(callback)); }
    void copy(std::span<std::byte> to, std::span<const std::byte> from) override {
      inner_->copy(to, from);
    }
    void record(DeviceEvent& event) override { inner_->record(event); }
    void wait(const DeviceEvent& event) override {
      if (forgetful_ == nullptr || !forgetful_->forgets(event)) {
        inner_->wait(event);
      }
    }
    void synchronise() override { inner_->synchronise(); }

   private:
    std::unique_ptr<DeviceStream> inner_;
    const ForgetfulDevice* forgetful_;  // null: waits for everything
  };

  HostDevice inner_;
  const ForgottenWait forgotten_;
  const int ring_events_;
  std::atomic<int> made_ = 0;
  std::vector<const DeviceEvent*> lost_;
  const ForgetfulDevice* peer_ = nullptr;
};

// Sends `count` batches through a ring whose stages take random times, and returns how many
// elements the reader saw wrong.
struct HandOffs {
  bool multi = false;
  ForgottenWait forgotten{};
  std::int64_t count = 2000;
  std::uint32_t seed = 1;
  int slots = 3;
  std::chrono::nanoseconds longest_delay = std::chrono::microseconds(60);
  Seconds copy_latency{0};  // of the wire to the model device
};

inline std::int64_t count_wrong_hand_offs(const HandOffs& run) {
  ForgetfulDevice data({.id = {.kind = DeviceKind::virtual_gpu, .index = 0}, .poison = Poison::on},
                       run.forgotten,
                       2 * std::min(run.slots, 3));
  ForgetfulDevice model({.id = {.kind = DeviceKind::virtual_gpu, .index = 1},
                         .link = {.latency = run.copy_latency},
                         .poison = Poison::on},
                        run.forgotten,
                        2 * run.slots);
  data.set_peer(model);
  model.set_peer(data);
  NumberedBatches batches(run.multi ? kPcm : kMel, run.count);
  RandomDelay source_delay(run.seed, run.longest_delay);
  RandomDelay train_delay(run.seed + 1, run.longest_delay);
  const std::unique_ptr<DeviceStream> reader = model.make_stream("train");
  TransferRing ring(
      {.slots = run.slots,
       .slot_bytes = Bytes{static_cast<std::int64_t>(make_layout(kShape, kMel).bytes)},
       .stage_bytes = Bytes{static_cast<std::int64_t>(make_layout(kShape, kPcm).bytes)},
       .poison = Poison::on},
      {.devices = {.model = model, .data = run.multi ? &data : nullptr},
       .source =
           [&](const std::stop_token&) {
             source_delay();
             return batches.next();
           },
       .features = run.multi ? std::make_unique<CopyingFeatures>(
                                   RandomDelay(run.seed + 2, run.longest_delay))
                             : nullptr,
       .mel_format = kMel,
       .on_done = nullptr});
  std::int64_t wrong = 0;  // touched by the reader's thread only, until it is synchronised
  std::int64_t seen = 0;
  while (std::optional<DeviceBatch> batch = ring.next(*reader, {})) {
    reader->submit([&wrong, &train_delay, bytes = batch->bytes, layout = batch->layout, seen] {
      wrong += count_wrong(bytes, layout, seen);
      train_delay();
      wrong += count_wrong(bytes, layout, seen);
    });
    ring.release(*std::move(batch), *reader);
    ++seen;
  }
  reader->synchronise();
  return seen == run.count ? wrong : -1;
}

}  // namespace qanat::ring_fixture
