#include "ring_stages.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <random>

#include "transfer/ring_fixture.h"

namespace qanat {

void occupy(Seconds time) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  never.wait_until(lock, end, [] { return false; });
}

namespace {

// Each batch takes the time of its number.
class TimedFeatures : public DeviceFeatures {
 public:
  explicit TimedFeatures(const std::vector<StageTimes>& stages) : stages_(stages) {}
  void extract(const ConstBlockView&, const BlockView&) override {
    occupy(stages_[next_++].prepare);
  }

 private:
  const std::vector<StageTimes>& stages_;
  std::size_t next_ = 0;
};

// A model device whose copies take the time of their number.
class TimedDevice : public Device {
 public:
  explicit TimedDevice(const std::vector<StageTimes>& stages)
      : inner_({.id = {.kind = DeviceKind::virtual_gpu, .index = 1}}), stages_(stages) {}

  DeviceId id() const override { return inner_.id(); }
  Message description() const override { return inner_.description(); }
  std::unique_ptr<DeviceEvent> make_event() override { return inner_.make_event(); }
  std::unique_ptr<DeviceMemory> allocate(Bytes bytes) override { return inner_.allocate(bytes); }
  const MemoryBudget& memory() const override { return inner_.memory(); }
  DeviceStats stats() const override { return inner_.stats(); }
  std::unique_ptr<DeviceStream> make_stream(const std::string& name) override {
    return std::make_unique<Stream>(inner_.make_stream(name), stages_);
  }

 private:
  class Stream : public DeviceStream {
   public:
    Stream(std::unique_ptr<DeviceStream> inner, const std::vector<StageTimes>& stages)
        : inner_(std::move(inner)), stages_(stages) {}
    void submit(std::function<void()> work) override { inner_->submit(std::move(work)); }
    void then(std::function<void()> callback) override { inner_->then(std::move(callback)); }
    void copy(std::span<std::byte> to, std::span<const std::byte> from) override {
      inner_->copy(to, from);
      inner_->submit([time = stages_[next_++].copy] { occupy(time); });
    }
    void record(DeviceEvent& event) override { inner_->record(event); }
    void wait(const DeviceEvent& event) override { inner_->wait(event); }
    void synchronise() override { inner_->synchronise(); }

   private:
    std::unique_ptr<DeviceStream> inner_;
    const std::vector<StageTimes>& stages_;
    std::size_t next_ = 0;
  };

  HostDevice inner_;
  const std::vector<StageTimes>& stages_;
};

}  // namespace

std::vector<SlotTimes> run_stages(const std::vector<StageTimes>& stages, int slots) {
  using ring_fixture::kMel;
  using ring_fixture::kPcm;
  using ring_fixture::kShape;
  using ring_fixture::NumberedBatches;
  HostDevice data({.id = {.kind = DeviceKind::virtual_gpu, .index = 0}});
  TimedDevice model(stages);
  NumberedBatches batches(kPcm, static_cast<std::int64_t>(stages.size()));
  std::vector<SlotTimes> times;
  const auto reader = model.make_stream("train");
  {
    TransferRing ring(
        {.slots = slots,
         .slot_bytes = Bytes{static_cast<std::int64_t>(make_layout(kShape, kMel).bytes)},
         .stage_bytes = Bytes{static_cast<std::int64_t>(make_layout(kShape, kPcm).bytes)}},
        {.devices = {.model = model, .data = &data},
         .source = [&](const std::stop_token&) { return batches.next(); },
         .features = std::make_unique<TimedFeatures>(stages),
         .mel_format = kMel,
         .on_done = [&](const SlotTimes& done) { times.push_back(done); }});
    std::size_t number = 0;
    while (auto batch = ring.next(*reader, {})) {
      reader->submit([time = stages[number++].train] { occupy(time); });
      ring.release(*std::move(batch), *reader);
    }
    reader->synchronise();
  }
  return times;
}

Seconds steady_step(const std::vector<SlotTimes>& times, std::size_t warm_up) {
  std::vector<Seconds> steps;
  for (std::size_t i = warm_up + 1; i < times.size(); ++i) {
    steps.push_back(*times[i].train.end - *times[i - 1].train.end);
  }
  std::ranges::sort(steps);
  return steps[steps.size() / 2];
}

StageTimes median_stages(const std::vector<SlotTimes>& times) {
  const std::vector<StageTimes> stages = recorded(times);
  const auto median = [&](Seconds StageTimes::*stage) {
    std::vector<Seconds> values;
    values.reserve(stages.size());
    for (const StageTimes& batch : stages) {
      values.push_back(batch.*stage);
    }
    std::ranges::sort(values);
    return values[values.size() / 2];
  };
  return {.prepare = median(&StageTimes::prepare),
          .copy = median(&StageTimes::copy),
          .train = median(&StageTimes::train)};
}

Seconds whole_run(const std::vector<SlotTimes>& times) {
  return *times.back().train.end - *times.front().train.end;
}

std::vector<StageTimes> recorded(const std::vector<SlotTimes>& times) {
  std::vector<StageTimes> stages;
  stages.reserve(times.size());
  for (const SlotTimes& batch : times) {
    stages.push_back({.prepare = batch.prepare.length(),
                      .copy = batch.copy.length(),
                      .train = batch.train.length()});
  }
  return stages;
}

Seconds replay(const std::vector<StageTimes>& stages, int slots) {
  std::vector<Seconds> trained;
  Seconds prepared{0};
  Seconds copied{0};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const auto depth = static_cast<std::size_t>(slots);
    const Seconds slot_free = i < depth ? Seconds{0} : trained[i - depth];
    prepared = std::max(prepared, slot_free) + stages[i].prepare;
    copied = std::max(copied, prepared) + stages[i].copy;
    const Seconds before = trained.empty() ? Seconds{0} : trained.back();
    trained.push_back(std::max(before, copied) + stages[i].train);
  }
  return trained.back() - trained.front();
}

std::vector<StageTimes> constant_stages(const StageTimes& mean, int count) {
  return std::vector<StageTimes>(static_cast<std::size_t>(count), mean);
}

std::vector<StageTimes> uneven_stages(const StageTimes& mean,
                                      double variation,
                                      int count,
                                      std::uint32_t seed) {
  const double sigma = std::sqrt(std::log(1 + variation * variation));
  std::mt19937 random(seed);
  std::lognormal_distribution<double> factor(-sigma * sigma / 2, sigma);
  std::vector<StageTimes> stages;
  stages.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    stages.push_back({.prepare = mean.prepare * factor(random),
                      .copy = mean.copy * factor(random),
                      .train = mean.train * factor(random)});
  }
  return stages;
}

}  // namespace qanat
