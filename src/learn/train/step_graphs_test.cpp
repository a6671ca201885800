#include "train/step_graphs.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <ATen/record_function.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/cuda/cuda_testing.h"
#include "locale/translator.h"
#include "metrics/journal_testing.h"
#include "train/full_memory_testing.h"
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
                  task_.emplace(*model_),
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

  void try_shape(const BatchShape& shape) { step_->try_shape(shape); }
  void change_weights() { task_->set_loss_weights({.binarisation = 0.1}); }
  // A share of the GPU's memory was in use, and is free again.
  void fill_memory(double share) {
    const auto bytes = static_cast<double>(device_->memory().use().limit->value);
    (void)device_->allocate(Bytes{static_cast<std::int64_t>(share * bytes)});
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
  std::optional<SpeechTask> task_;
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

// Passes everything on to another stream.
class PassingStream : public DeviceStream {
 public:
  explicit PassingStream(DeviceStream& stream) : stream_(stream) {}

  void submit(std::function<void()> work) override { stream_.submit(std::move(work)); }
  void then(std::function<void()> callback) override { stream_.then(std::move(callback)); }
  void copy(std::span<std::byte> to, std::span<const std::byte> from) override {
    stream_.copy(to, from);
  }
  void record(DeviceEvent& event) override { stream_.record(event); }
  void wait(const DeviceEvent& event) override { stream_.wait(event); }
  void synchronise() override { stream_.synchronise(); }

 private:
  DeviceStream& stream_;
};

// Records as CUDA does: work allocates while it is recorded, whether or not it succeeds, and what
// it computed meanwhile means nothing.
class RecordingStream : public PassingStream {
 public:
  using PassingStream::PassingStream;

  std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) override {
    struct Again final : DeviceGraph {
      explicit Again(std::function<void()> recorded) : work(std::move(recorded)) {}
      void replay() override { work(); }
      const std::function<void()> work;
    };
    work();
    return std::make_unique<Again>(work);
  }
};

// Operators of this process with the shapes they were given, while it is there.
class OperatorWatch {
 public:
  OperatorWatch()
      : handle_(at::addGlobalCallback(at::RecordFunctionCallback(&note).needsInputs(true).scopes(
            {at::RecordScope::FUNCTION}))) {
    current() = this;
  }
  OperatorWatch(const OperatorWatch&) = delete;
  OperatorWatch& operator=(const OperatorWatch&) = delete;
  ~OperatorWatch() {
    at::removeCallback(handle_);
    current() = nullptr;
  }

  std::set<std::string> seen;

 private:
  static OperatorWatch*& current() {
    static OperatorWatch* watch = nullptr;
    return watch;
  }
  static std::unique_ptr<at::ObserverContext> note(const at::RecordFunction& function) {
    std::string call = function.name();
    for (const c10::IValue& input : function.inputs()) {
      call += input.isTensor() && input.toTensor().defined()
                  ? fmt::format(" [{}]", fmt::join(input.toTensor().sizes(), ","))
                  : " -";
    }
    current()->seen.insert(std::move(call));
    return nullptr;
  }

  const at::CallbackHandle handle_;
};

// Notes what is computed inside of a recording and was not computed before.
class ColdCallStream final : public RecordingStream {
 public:
  ColdCallStream(DeviceStream& stream, OperatorWatch& watch)
      : RecordingStream(stream), watch_(watch) {}

  std::unique_ptr<DeviceGraph> capture(const std::function<void()>& work) override {
    const std::set<std::string> before = watch_.seen;
    std::unique_ptr<DeviceGraph> graph = RecordingStream::capture(work);
    std::ranges::set_difference(watch_.seen, before, std::back_inserter(cold));
    return graph;
  }

  std::vector<std::string> cold;

 private:
  OperatorWatch& watch_;
};

TEST(StepGraphWarmthTest, NothingIsComputedForTheFirstTimeInsideOfARecording) {
  StepBench bench;
  OperatorWatch watch;
  ColdCallStream stream(bench.stream(), watch);
  EventList journal;
  TrainStep step(
      bench.device(), stream, bench.task(), {.journal = &journal, .record_graphs = true});

  for (std::uint32_t i = 0; i < kSteps; ++i) {
    const MadeUpBatch batch({3 * i, 3 * i + 1, 3 * i + 2}, kGraphShape);
    const Clock::time_point now = Clock::now();
    step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
    bench.stream().synchronise();  // reads the batch until then
  }

  ASSERT_THAT(journal.events<StepGraphState>(), SizeIs(1));
  EXPECT_THAT(stream.cold, IsEmpty());
}

TEST(StepGraphWarmthTest, WhatLibtorchItselfDoesNotRecordIsComputed) {
  class Refusing final : public PassingStream {
   public:
    using PassingStream::PassingStream;
    std::unique_ptr<DeviceGraph> capture(const std::function<void()>& /*work*/) override {
      TORCH_CHECK(false, "beginAllocateToPool: already recording to mempool_id");
    }
  };
  StepBench bench;
  Refusing stream(bench.stream());
  EventList journal;
  TrainStep step(
      bench.device(), stream, bench.task(), {.journal = &journal, .record_graphs = true});

  step.try_shape(kGraphShape);
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    const MadeUpBatch batch({3 * i, 3 * i + 1, 3 * i + 2}, kGraphShape);
    const Clock::time_point now = Clock::now();
    step.accumulate(batch.get(), {.host_busy_since = now, .asked = now, .handed = now});
  }

  EXPECT_NO_THROW(bench.stream().synchronise());
  ASSERT_THAT(journal.events<StepGraphState>(), SizeIs(1));
  EXPECT_EQ(journal.events<StepGraphState>().at(0).state, "refused");
}

// A batch whose gradient is computed, or whose shape is recorded, on a device whose memory is full
// at one of its allocations.
class FullStepBench {
 public:
  FullStepBench(bool record_graphs, FullIn told_by)
      : stream_(bench_.stream()), record_graphs_(record_graphs) {
    memory_.told_by = told_by;
  }

  // `refused` counts from 1, 0 is none.
  torch::Tensor gradient(int refused) {
    EventList journal;
    TrainStep step(
        bench_.device(),
        stream_,
        bench_.task(),
        TrainStepOptions{
            .journal = &journal, .record_graphs = record_graphs_, .graphs = {.warm_ups = 0}});
    bench_.model().gradient.zero_();
    const int before = memory_.count;
    memory_.refused = refused == 0 ? 0 : before + refused;
    const Clock::time_point now = Clock::now();
    step.accumulate(batch_.get(), {.host_busy_since = now, .asked = now, .handed = now});
    bench_.stream().synchronise();
    memory_.refused = 0;
    num_allocations = memory_.count - before;
    const auto graphs = journal.events<StepGraphState>();
    is_recorded = graphs.size() == 1 && graphs[0].state == "recorded";
    num_splits = journal.events<OutOfMemoryRetry>().size();
    return bench_.model().gradient.clone();
  }

  // These describe the last one.
  int num_allocations = 0;
  bool is_recorded = false;
  std::size_t num_splits = 0;

 private:
  FullAllocator memory_;
  StepBench bench_;
  RecordingStream stream_;
  const bool record_graphs_;
  const MadeUpBatch batch_{{0, 1, 2}, {.rows = 3, .frames = 24, .tokens = 6}};
};

struct FullCase {
  const char* name;
  bool record_graphs = false;
  FullIn told_by = FullIn::torch;

  friend std::ostream& operator<<(std::ostream& out, const FullCase& c) { return out << c.name; }
};

class FullStepTest : public testing::TestWithParam<FullCase> {};

TEST_P(FullStepTest, AGradientIsAddedOnceWhereverMemoryRunsOut) {
  at::set_num_threads(1);
  FullStepBench bench(GetParam().record_graphs, GetParam().told_by);
  const torch::Tensor expected = bench.gradient(0);
  const int count = bench.num_allocations;
  ASSERT_EQ(bench.is_recorded, GetParam().record_graphs);
  ASSERT_GT(count, 100);

  std::size_t splits = 0;
  int unrecorded = 0;
  for (const int refused : allocations_to_refuse(count)) {
    const torch::Tensor gradient = bench.gradient(refused);
    ASSERT_TRUE(torch::allclose(gradient, expected, 1e-4, 1e-6)) << "at allocation " << refused;
    splits += bench.num_splits;
    unrecorded += bench.is_recorded ? 0 : 1;
  }

  EXPECT_GT(splits, 0U);  // where computing did not fit
  if (GetParam().record_graphs) {
    EXPECT_GT(unrecorded, static_cast<int>(splits));  // where only the recording did not
  }
}

INSTANTIATE_TEST_SUITE_P(Full,
                         FullStepTest,
                         testing::Values(FullCase{.name = "computed"},
                                         FullCase{.name = "computed_in_our_words",
                                                  .told_by = FullIn::budget},
                                         FullCase{.name = "recorded", .record_graphs = true},
                                         FullCase{.name = "recorded_in_our_words",
                                                  .record_graphs = true,
                                                  .told_by = FullIn::budget}),
                         [](const auto& tested) { return tested.param.name; });

// The scripted GPU cannot know how much memory a graph takes, but in which it is recorded.
TEST(StepGraphReserveTest, GraphsShareTheMemoryOfTheLargestShapeWhichIsRecordedFirst) {
  GraphBench bench(FakeGraphs::of_work, true);

  bench.try_shape({.rows = 3, .frames = 96, .tokens = 24});
  EXPECT_EQ(bench.counts().graphs_captured, 1);
  bench.train();
  EXPECT_EQ(bench.counts().live_graphs, 2);
  EXPECT_EQ(bench.counts().graphs_replayed, 1 + 3);  // none of them the reserved one

  bench.change_weights();  // drops what is played, and records it again
  bench.train();

  EXPECT_EQ(bench.counts().graphs_captured, 3);
  EXPECT_EQ(bench.counts().live_graphs, 2);
  EXPECT_EQ(bench.counts().graph_memories, 1);
}

TEST(StepGraphReserveTest, NothingIsReservedWhereItWouldTakeTheMemoryOfComputing) {
  GraphBench bench(FakeGraphs::of_work, true);
  bench.fill_memory(0.6);

  bench.try_shape({.rows = 3, .frames = 96, .tokens = 24});

  EXPECT_EQ(bench.counts().graphs_captured, 0);
}

TEST(StepGraphReserveTest, AShapeThatCannotBeReservedIsNoFailure) {
  GraphBench bench(FakeGraphs::refused, true);

  bench.try_shape({.rows = 3, .frames = 96, .tokens = 24});

  EXPECT_EQ(bench.counts().live_graphs, 0);
}

}  // namespace
}  // namespace qanat
