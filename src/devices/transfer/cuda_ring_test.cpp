// The ring on the CUDA backend, with a scripted GPU that does nothing before somebody waits for it.
#include <gtest/gtest.h>

#include "device/cuda/cuda_testing.h"
#include "transfer/ring_fixture.h"
#include "transfer/transfer_ring.h"

namespace qanat {
namespace {

using ring_fixture::CopyingFeatures;
using ring_fixture::count_wrong;
using ring_fixture::kMel;
using ring_fixture::kPcm;
using ring_fixture::kShape;
using ring_fixture::NumberedBatches;
using ring_fixture::RandomDelay;

// Features whose work is a kernel: it runs when its turn on the stream has come.
class LaunchedFeatures : public DeviceFeatures {
 public:
  explicit LaunchedFeatures(FakeCuda& fake) : fake_(fake) {}

  void extract(const ConstBlockView& pcm, const BlockView& mel) override {
    fake_.launch([this, pcm, mel] { inner_.extract(pcm, mel); });
  }

 private:
  FakeCuda& fake_;
  CopyingFeatures inner_{RandomDelay(1, std::chrono::nanoseconds(0))};
};

struct CudaRun {
  bool multi = false;
  bool peers_reach = true;
  Forgotten forgotten = Forgotten::nothing;
  std::uint32_t seed = 1;
  std::int64_t count = 300;
  std::function<void(const SlotTimes&)> on_done{};
};

// Delays of several threads, drawn from one sequence.
std::function<void()> shared_delay(std::uint32_t seed) {
  struct Shared {
    explicit Shared(std::uint32_t first) : delay(first, std::chrono::microseconds(40)) {}
    std::mutex mutex;  // guards delay
    RandomDelay delay;
  };
  return [shared = std::make_shared<Shared>(seed)] {
    RandomDelay mine = [&] {
      const std::lock_guard lock(shared->mutex);
      RandomDelay copy = shared->delay;
      shared->delay();
      return copy;
    }();
    mine();
  };
}

// How many elements the reader saw wrong; -1 when batches are missing.
std::int64_t count_wrong_on_cuda(const CudaRun& run) {
  const cuda_testing::Machine machine({.peers_reach = run.peers_reach,
                                       .execution = FakeExecution::lazy,
                                       .delay = shared_delay(run.seed),
                                       .forgotten = run.forgotten});
  const auto data = machine.device(0);
  const auto model = machine.device(1);
  FakeCuda& fake = *machine.fake;
  NumberedBatches batches(run.multi ? kPcm : kMel, run.count);
  const std::unique_ptr<DeviceStream> reader = model->make_stream("train");
  TransferRing ring(
      {.slots = 3,
       .slot_bytes = Bytes{static_cast<std::int64_t>(make_layout(kShape, kMel).bytes)},
       .stage_bytes = Bytes{static_cast<std::int64_t>(make_layout(kShape, kPcm).bytes)}},
      {.devices = {.model = *model, .data = run.multi ? data.get() : nullptr},
       .source = [&](const std::stop_token&) { return batches.next(); },
       .features = run.multi ? std::make_unique<LaunchedFeatures>(fake) : nullptr,
       .mel_format = kMel,
       .on_done = run.on_done});
  std::int64_t wrong = 0;  // touched by kernels only, which run one at a time
  std::int64_t seen = 0;
  while (std::optional<DeviceBatch> batch = ring.next(*reader, {})) {
    reader->submit([&fake, &wrong, bytes = batch->bytes, layout = batch->layout, seen] {
      fake.launch([&wrong, bytes, layout, seen] { wrong += count_wrong(bytes, layout, seen); });
    });
    ring.release(*std::move(batch), *reader);
    ++seen;
  }
  reader->synchronise();
  return seen == run.count ? wrong : -1;
}

class CudaRingTest : public testing::TestWithParam<CudaRun> {};

TEST_P(CudaRingTest, DeliversEveryElementRight) {
  EXPECT_EQ(count_wrong_on_cuda(GetParam()), 0);
}

TEST_P(CudaRingTest, DeliversWrongElementsWithoutEventWaits) {
  CudaRun run = GetParam();
  run.forgotten = Forgotten::event_waits;
  std::int64_t wrong = 0;
  for (run.seed = 1; run.seed <= 20 && wrong == 0; ++run.seed) {
    wrong = count_wrong_on_cuda(run);
  }

  EXPECT_GT(wrong, 0);
}

// The points of a batch's way lie on several streams, whose callbacks come on several threads; its
// times are read on one of them, from the points. They are the GPU's, which takes a millisecond for
// everything, and not those at which a thread of the host was woken.
TEST_P(CudaRingTest, KnowsWhenEachStageBeganAndEnded) {
  std::vector<SlotTimes> all;  // by one thread, the reader's
  CudaRun run = GetParam();
  run.count = 50;
  run.on_done = [&all](const SlotTimes& times) { all.push_back(times); };

  ASSERT_EQ(count_wrong_on_cuda(run), 0);

  ASSERT_EQ(all.size(), 50U);
  for (const SlotTimes& times : all) {
    EXPECT_EQ(times.stage.complete(), run.multi);
    EXPECT_EQ(times.prepare.complete(), run.multi);
    if (run.multi) {
      EXPECT_LE(*times.stage.begin, *times.stage.end);
      EXPECT_LE(*times.stage.end, *times.prepare.begin);
      EXPECT_LE(*times.prepare.end, *times.copy.begin);
    }
    ASSERT_TRUE(times.copy.complete());
    ASSERT_TRUE(times.train.complete());
    EXPECT_GT(times.copy.length(), Seconds(0.00099));
    EXPECT_LE(*times.copy.end, *times.train.begin);
    EXPECT_GT(times.train.length(), Seconds(0.00099));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         CudaRingTest,
                         testing::Values(CudaRun{},
                                         CudaRun{.multi = true},
                                         CudaRun{.multi = true, .peers_reach = false}),
                         [](const auto& run) {
                           return !run.param.multi        ? "Single"
                                  : run.param.peers_reach ? "MultiDirect"
                                                          : "MultiStaged";
                         });

}  // namespace
}  // namespace qanat
