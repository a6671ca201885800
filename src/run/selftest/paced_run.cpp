#include "selftest/paced_run.h"

#include <algorithm>
#include <deque>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/value_or_throw.h"
#include "device/host/host_device.h"
#include "experiment/experiment.h"
#include "metrics/step_breakdown.h"
#include "metrics/tee_sink.h"
#include "session/device_pipeline.h"
#include "session/run_event.h"
#include "transfer/slot_timeline.h"

namespace qanat {
namespace {

// How a step's time is shared out; what a small model does.
struct PhaseShare {
  StepPhase phase;
  double share;
};
constexpr std::array kPhases = {PhaseShare{StepPhase::forward, 0.35},
                                PhaseShare{StepPhase::loss, 0.05},
                                PhaseShare{StepPhase::backward, 0.50},
                                PhaseShare{StepPhase::optimizer, 0.10}};

// A step that was submitted: its events, in the order of time.
struct SubmittedStep {
  StepRecord record;
  BatchArrival arrival;
  std::shared_ptr<SlotTimeline> way;                 // of the batch; shared with the ring
  std::vector<std::unique_ptr<DeviceEvent>> events;  // the device took the batch; then each phase
};

// A device that is busy for as long as a step would take.
class PacedConsumer final : public BatchConsumer {
 public:
  PacedConsumer(const PacedRunRequest& request,
                Device& device,
                DevicePipeline& pipeline,
                EventSink* journal)
      : request_(request),
        device_(device),
        stream_(device.make_stream("paced")),
        pipeline_(pipeline),
        journal_(journal) {}

  std::optional<Delivery> take(const std::stop_token& stop) override {
    SubmittedStep submitted{.record = {.step = step_}, .arrival = {}, .way = {}, .events = {}};
    submitted.arrival.host_busy_since = host_busy_since_;
    submitted.arrival.asked = Clock::now();
    std::optional<DeviceBatch> batch = pipeline_.ring().next(*stream_, stop);
    submitted.arrival.handed = Clock::now();
    if (!batch) {
      return std::nullopt;
    }
    describe(*batch, submitted);
    const Delivery delivery = delivery_of(submitted);
    work(submitted);
    pipeline_.ring().release(*std::move(batch), *stream_);
    pending_.push_back(std::move(submitted));
    host_busy_since_ = Clock::now();
    report_finished();
    const std::int64_t save_every = request_.config.training.save_every;
    if (++step_; save_every > 0 && step_ % save_every == 0) {
      request_.observer.on_save(step_);
    }
    return delivery;
  }

  void finish() override {
    stream_->synchronise();
    report_finished();
  }

 private:
  static Delivery delivery_of(const SubmittedStep& step) {
    const BatchArrival& arrival = step.arrival;
    return {.seconds = Seconds(arrival.handed - arrival.host_busy_since).count(),
            .wait = Seconds(arrival.handed - arrival.asked).count(),
            .frames = step.record.frames,
            .padded_frames = std::int64_t{step.record.rows} * step.record.padded_frames,
            .rows = step.record.rows};
  }

  static void describe(const DeviceBatch& batch, SubmittedStep& to) {
    const BatchShape& shape = batch.layout.shape;
    to.record.epoch = batch.id.epoch;
    to.record.batch = batch.id.index;
    to.record.rows = shape.rows;
    to.record.padded_frames = shape.frames;
    to.record.tokens = shape.tokens;
    for (const std::int32_t frames : batch.mel_lengths) {
      to.record.frames += frames;
    }
    to.way = batch.way;
  }

  Seconds cost_of(const StepRecord& record) {
    const StepCost& cost = request_.cost;
    const double frames = static_cast<double>(record.rows) * record.padded_frames;
    const double progress = static_cast<double>(step_) / static_cast<double>(request_.steps);
    std::normal_distribution<double> noise(1, cost.noise);
    return (cost.fixed + frames * cost.per_frame) * (1 + cost.drift * progress) *
           std::max(0.1, noise(random_));
  }

  void work(SubmittedStep& to) {
    mark(to);
    const Seconds length = cost_of(to.record);
    // Shared by the phases: each ends at a time counted from the first one's begin, so that late
    // wake-ups do not add up.
    const auto begin = std::make_shared<Clock::time_point>();
    double done = 0;
    for (const PhaseShare& phase : kPhases) {
      const bool is_first = done == 0;
      done += phase.share;
      stream_->submit([begin, is_first, until = done * length] {
        if (is_first) {
          *begin = Clock::now();
        }
        std::this_thread::sleep_until(*begin + std::chrono::duration_cast<Clock::duration>(until));
      });
      mark(to);
    }
  }

  void mark(SubmittedStep& to) {
    std::unique_ptr<DeviceEvent> event = device_.make_event();
    stream_->record(*event);
    to.events.push_back(std::move(event));
  }

  void report_finished() {
    while (!pending_.empty() && pending_.front().events.back()->ready()) {
      SubmittedStep step = std::move(pending_.front());
      pending_.pop_front();
      settle(step);
      if (journal_ != nullptr) {
        journal_->record(step.record);
      }
      request_.observer.on_step(step.record);
    }
  }

  void settle(SubmittedStep& step) {
    step.arrival.arrived = step.way->arrived().value_or(step.arrival.handed);
    std::vector<StepStretch> stretches = {
        {.end = *step.events[0]->passed_at(), .idle = true, .arrival = step.arrival}};
    for (std::size_t i = 0; i < kPhases.size(); ++i) {
      stretches.push_back({.end = *step.events[i + 1]->passed_at(), .phase = kPhases[i].phase});
    }
    step.record.phases = make_breakdown(last_end_.value_or(stretches.front().end), stretches);
    last_end_ = stretches.back().end;
  }

  const PacedRunRequest& request_;
  Device& device_;
  const std::unique_ptr<DeviceStream> stream_;
  DevicePipeline& pipeline_;
  EventSink* const journal_;  // may be absent
  std::mt19937_64 random_{1};
  std::deque<SubmittedStep> pending_;
  std::optional<Clock::time_point> last_end_;
  Clock::time_point host_busy_since_ = Clock::now();
  std::int64_t step_ = 0;
};

// In the mode that the GPU numbers of the configuration ask for.
DevicePlan plan_of(const RunConfig& config) {
  const std::optional<GpuList>& data = config.data.data_gpu;
  const std::optional<GpuList>& model = config.data.model_gpu;
  DevicePlan plan{.model = {.kind = DeviceKind::virtual_gpu, .index = model ? model->first() : 0}};
  if (data && model) {
    plan.mode = RunMode::multi_gpu;
    plan.data = DeviceId{.kind = DeviceKind::virtual_gpu, .index = data->first()};
  }
  return plan;
}

// Runs with whatever hears of it: a journal, other sinks, or nobody.
void run_with(PacedRunRequest& request, EventSink* journal) {
  request.loader.journal = journal;
  request.config.training.max_steps = request.steps;
  const DevicePlan plan = plan_of(request.config);
  const auto make_device = [&](DeviceId id) {
    return std::make_unique<HostDevice>(HostDeviceOptions{.id = id, .link = request.link});
  };
  RunDevices devices{.model = make_device(plan.model),
                     .data = plan.data ? make_device(*plan.data) : nullptr,
                     .cores = {.loader_threads = request.loader_threads}};
  DevicePipeline pipeline(
      devices, {.config = request.config, .plan = plan, .loader = std::move(request.loader)});
  const auto record = [journal](const JournalEvent& event) {
    if (journal != nullptr) {
      journal->record(event);
    }
  };
  record(run_start(request.config,
                   {.mode = plan.mode,
                    .device = to_string(plan.model),
                    .batches_per_epoch = pipeline.loader().batches_per_epoch(),
                    .last_step = request.steps}));
  pipeline.open_gate(request.stop);
  PacedConsumer consumer(request, *devices.model, pipeline, journal);
  run_experiment({.consumer = consumer, .steps = request.steps, .stop = request.stop});
  record(pipeline.reading());
  record(RunEnd{.ending = "max_steps", .step = request.steps});
}

}  // namespace

RunSummary run_paced(PacedRunRequest request) {
  TeeSink tee;
  for (EventSink* sink : request.sinks) {
    tee.add(*sink);
  }
  if (request.journal.empty()) {
    run_with(request, request.sinks.empty() ? nullptr : &tee);
    return {};
  }
  std::filesystem::remove(request.journal);
  {
    RunJournal file(request.journal, {.command = "paced"});
    tee.add(file);
    run_with(request, &tee);
  }
  return value_or_throw(read_run_summary(request.journal));
}

}  // namespace qanat
