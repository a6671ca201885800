#include "train/step_graphs.h"

#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/cuda/cuda_testing.h"
#include "locale/translator.h"
#include "train/train_step_testing.h"

namespace qanat {
namespace {

using cuda_testing::Machine;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr BatchShape kGraphShape{.rows = 3, .frames = 48, .tokens = 12};
constexpr int kSteps = 6;  // two to get warm, one to record, three to play

// The weights of a model, but for the biases of keys: attention adds them to all scores alike, so
// they change nothing, their gradient is rounding, and the optimiser makes steps of it.
torch::Tensor weights_that_count(const TrainedModel& model) {
  const torch::Tensor block = model.weights.clone();
  for (const auto& [name, bias] : model.layout.views(block)) {
    const std::int64_t size = bias.size(0);
    if (name.ends_with("queries_keys_values.bias")) {
      bias.narrow(0, size / 3, size / 3).zero_();
    } else if (name.ends_with("keys_values.bias")) {
      bias.narrow(0, 0, size / 2).zero_();
    }
  }
  return block;
}

// A model on a scripted GPU; libtorch computes on the CPU.
class GraphBench {
 public:
  GraphBench(FakeGraphs graphs, bool record_graphs)
      : machine_({.graphs = graphs}), device_(machine_.device(0)) {
    stream_ = device_->make_stream("train");
    stream_->submit([&] { model_.emplace(make_trained_model(small_shape(), {}, 1, torch::kCPU)); });
    stream_->synchronise();
    step_.emplace(*device_,
                  *stream_,
                  *model_,
                  TrainStepOptions{
                      .journal = &journal,
                      .record_graphs = record_graphs,
                      .note = [this](const Message& n) { notes.push_back(Translator().tr(n)); }});
  }

  // The weights after some updates on batches of one shape.
  torch::Tensor train() {
    for (std::uint32_t i = 0; i < kSteps; ++i) {
      const MadeUpBatch batch({3 * i, 3 * i + 1, 3 * i + 2}, kGraphShape);
      const Clock::time_point now = Clock::now();
      step_->accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
      step_->update({.step = i, .learning_rate = 1e-3});
      stream_->synchronise();
    }
    while (const std::optional<FinishedStep> done = step_->finished()) {
      losses.push_back(done->record.losses.total);
    }
    return weights_that_count(*model_);
  }

  FakeCuda::Counts counts() const { return machine_.fake->counts(); }

  EventList journal;
  std::vector<std::string> notes;
  std::vector<double> losses;

 private:
  Machine machine_;
  std::unique_ptr<CudaDevice> device_;
  std::unique_ptr<DeviceStream> stream_;
  std::optional<TrainedModel> model_;
  std::optional<TrainStep> step_;
};

class StepGraphsTest : public testing::Test {
 protected:
  StepGraphsTest() : expected_(computed_.train()) {}

  GraphBench computed_{FakeGraphs::refused, false};
  torch::Tensor expected_;
};

TEST_F(StepGraphsTest, PlaysStepsOfAShapeThatWasRecordedWithTheSameResult) {
  GraphBench played(FakeGraphs::of_work, true);

  const torch::Tensor weights = played.train();

  EXPECT_TRUE(torch::allclose(weights, expected_, 1e-4, 1e-6));
  EXPECT_EQ(played.counts().graphs_captured, 1);
  EXPECT_EQ(played.counts().graphs_replayed, 1 + 3);  // one of them to see that it is right
  EXPECT_THAT(played.notes, IsEmpty());
  ASSERT_THAT(played.losses, SizeIs(kSteps));
  for (std::size_t i = 0; i < kSteps; ++i) {
    EXPECT_NEAR(played.losses[i], computed_.losses[i], 1e-4) << i;
  }
}

TEST_F(StepGraphsTest, ComputesAndSaysWhyWhereRecordingFails) {
  GraphBench refused(FakeGraphs::refused, true);

  const torch::Tensor weights = refused.train();

  EXPECT_TRUE(torch::allclose(weights, expected_, 1e-4, 1e-6));
  EXPECT_EQ(refused.counts().graphs_replayed, 0);
  ASSERT_THAT(refused.notes, SizeIs(1));
  EXPECT_THAT(refused.notes[0],
              AllOf(HasSubstr("training.enable_graph_mode"),
                    HasSubstr("operation not permitted while recording"),
                    HasSubstr("same result")));
  EXPECT_EQ(refused.journal.events<StepGraphState>().at(0).state, "refused");
}

// The scripted GPU records kernels, and libtorch on the CPU launches none: the recording is empty.
TEST_F(StepGraphsTest, NeverPlaysARecordingThatGivesAnotherGradient) {
  GraphBench wrong(FakeGraphs::of_kernels, true);

  const torch::Tensor weights = wrong.train();

  EXPECT_TRUE(torch::allclose(weights, expected_, 1e-4, 1e-6));
  ASSERT_THAT(wrong.notes, SizeIs(1));
  EXPECT_THAT(wrong.notes[0], HasSubstr("the recording is wrong by"));
  EXPECT_EQ(wrong.counts().live_graphs, 0);
}

// The memory of the device is full whenever something is recorded, as libtorch says it.
class FullWhileRecording final : public DeviceStream {
 public:
  explicit FullWhileRecording(DeviceStream& stream) : stream_(stream) {}

  void submit(std::function<void()> work) override { stream_.submit(std::move(work)); }
  void then(std::function<void()> callback) override { stream_.then(std::move(callback)); }
  void copy(std::span<std::byte> to, std::span<const std::byte> from) override {
    stream_.copy(to, from);
  }
  void record(DeviceEvent& event) override { stream_.record(event); }
  void wait(const DeviceEvent& event) override { stream_.wait(event); }
  void synchronise() override { stream_.synchronise(); }
  std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) override {
    work();  // a recording that breaks off late may have changed anything
    throw c10::OutOfMemoryError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)},
                                "CUDA out of memory");
  }

 private:
  DeviceStream& stream_;
};

TEST(StepGraphMemoryTest, AGradientIsAddedOnceWhereARecordingDoesNotFit) {
  StepBench computed;
  StepBench full;
  FullWhileRecording stream(full.stream());
  EventList journal;
  TrainStep step(full.device(), stream, full.model(), {.journal = &journal, .record_graphs = true});
  const MadeUpBatch batch({0, 1, 2}, kGraphShape);
  const Clock::time_point now = Clock::now();
  for (int i = 0; i < kSteps; ++i) {
    computed.accumulate(batch);
    step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
  }

  EXPECT_TRUE(torch::allclose(full.gradient(), computed.gradient(), 1e-4, 1e-6));
  ASSERT_THAT(journal.events<StepGraphState>(), SizeIs(1));
  EXPECT_THAT(journal.events<OutOfMemoryRetry>(), IsEmpty());
}

}  // namespace
}  // namespace qanat
