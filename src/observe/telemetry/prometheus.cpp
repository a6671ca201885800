#include "telemetry/prometheus.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "features/mel_config.h"
#include "telemetry/exposition.h"
#include "telemetry/prometheus_machine.h"

namespace qanat {
namespace {

double to_double(std::int64_t value) {
  return static_cast<double>(value);
}

// As the names of other trainers' exporters have them.
std::string_view phase_label(std::string_view phase) {
  return phase == "wait" ? "wait_data" : phase == "transfer" ? "h2d" : phase;
}

void write_build(Exposition& out, const RunSnapshot& run, const ScrapeContext& context) {
  if (context.version.empty()) {
    return;
  }
  const std::string_view device = run.model_device;
  out.family("build_info", "gauge", "What exports this; always 1.");
  out.sample(1, {{"version", context.version}, {"backend", device.substr(0, device.find(':'))}});
}

void write_session(Exposition& out, const RunSnapshot& run) {
  out.family("run_info", "gauge", "What runs, and where; always 1.");
  out.sample(1, {{"command", run.command}, {"mode", run.mode}, {"model_device", run.model_device}});
  out.gauge(
      "run_seconds", "Time from the start of the session to its newest event.", run.at.count());
  out.gauge("run_ended", "1 when the run has said that it ended.", run.ending ? 1 : 0);
}

void write_steps(Exposition& out, const RunSnapshot& run) {
  out.counter("steps_total", "Steps of this session.", to_double(run.steps));
  out.counter("skipped_steps_total",
              "Steps whose loss or gradient was not finite; no update was made.",
              to_double(run.skipped_steps));
  out.family(
      "phase_seconds_total", "counter", "Time of the steps by part of the step time breakdown.");
  visit_phases(run.seconds, [&](std::string_view phase, Seconds time) {
    out.sample(time.count(), {{"phase", phase_label(phase)}});
  });
  const DurationHistogram& steps = run.step_seconds;
  out.family("step_duration_seconds", "histogram", "Step times.");
  std::int64_t below = 0;
  for (std::size_t bin = 0; bin < DurationHistogram::kEdges; ++bin) {
    below += steps.counts[bin];
    out.sample(
        to_double(below), {{"le", exposition_number(DurationHistogram::edge(bin))}}, "_bucket");
  }
  out.sample(to_double(steps.count()), {{"le", "+Inf"}}, "_bucket");
  out.sample(steps.sum.count(), {}, "_sum");
  out.sample(to_double(steps.count()), {}, "_count");
}

void write_learning(Exposition& out, const RunSnapshot& run) {
  out.gauge("last_step", "Number of steps the run is to have.", run.last_step);
  if (!run.newest) {
    return;
  }
  const StepRecord& step = *run.newest;
  out.gauge("step", "Updates made so far, earlier sessions counted.", to_double(step.step + 1));
  out.gauge("epoch", "Epoch of the newest step, from 0.", to_double(step.epoch));
  out.family("loss", "gauge", "Losses of the newest step; total is what is minimised.");
  visit_losses(step.losses, [&](const char* part, double value) {
    out.sample(value, {{"part", part}});
  });
  out.gauge("learning_rate", "Learning rate of the newest step.", step.learning_rate);
  out.gauge("gradient_norm", "Norm of the newest gradient before clipping.", step.gradient_norm);
}

void write_rates(Exposition& out, const RunSnapshot& run) {
  out.gauge("steps_per_second", "Over the newest steps.", run.steps_per_second());
  out.gauge("wait_ratio",
            "Share of the newest steps' time in which the model device waited for a batch.",
            run.wait_share());
  const Seconds total = run.seconds.total();
  if (total <= Seconds{0}) {
    return;
  }
  constexpr std::string_view kBusyHelp =
      "Share of the steps' time in which the model device worked on them.";
  const double busy = run.seconds.busy() / total;
  out.gauge("device_busy_ratio", kBusyHelp, busy);
  if (!run.model_device.empty() && run.model_device != "cpu") {
    out.family("gpu_device_busy_ratio", "gauge", kBusyHelp);
    out.sample(busy, {{"gpu", run.model_device}});
  }
  if (run.at.count() > 0) {
    out.gauge("goodput_ratio",
              "Share of the session in which the model device worked on steps: starting, waiting, "
              "saving and validating are not work.",
              std::min(1.0, run.seconds.busy() / run.at));
  }
}

void write_queue(Exposition& out, const PipelineStats& pipeline) {
  const BufferStats& ready = pipeline.ready;
  out.family("queue_length", "gauge", "Items in a queue.");
  out.sample(to_double(static_cast<std::int64_t>(ready.size)), {{"queue", "ready"}});
  out.sample(pipeline.window.batches, {{"queue", "window"}});
  out.family("queue_capacity", "gauge", "Most items of a queue.");
  out.sample(to_double(static_cast<std::int64_t>(ready.capacity)), {{"queue", "ready"}});
  out.sample(pipeline.window.limit, {{"queue", "window"}});
  out.family("queue_state_seconds_total", "counter", "For how long a queue was in a state.");
  out.sample(ready.occupancy.empty.count(), {{"queue", "ready"}, {"state", "empty"}});
  out.sample(ready.occupancy.partial.count(), {{"queue", "ready"}, {"state", "partial"}});
  out.sample(ready.occupancy.full.count(), {{"queue", "ready"}, {"state", "full"}});
  out.family("queue_starved_seconds_total", "counter", "For how long the taker of a queue waited.");
  out.sample(ready.pop_wait.total.count(), {{"queue", "ready"}});
}

void write_workers(Exposition& out, const PipelineStats& pipeline) {
  WorkerStats sum;
  for (const WorkerStats& worker : pipeline.workers) {
    sum.busy += worker.busy;
    sum.blocked += worker.blocked;
    sum.starved += worker.starved;
    sum.parked += worker.parked;
  }
  out.gauge("active_workers", "Loader threads that are not parked.", pipeline.active_workers);
  out.family("worker_seconds_total", "counter", "Time of all loader threads by what they did.");
  out.sample(sum.busy.count(), {{"state", "busy"}});
  out.sample(sum.blocked.count(), {{"state", "blocked"}});
  out.sample(sum.starved.count(), {{"state", "starved"}});
  out.sample(sum.parked.count(), {{"state", "parked"}});
  out.family("stage_busy_seconds_total",
             "counter",
             "Time that loader threads spent in a stage; loader is all of them.");
  for (const StageStats* stage :
       {&pipeline.decode, &pipeline.mel, &pipeline.tokens, &pipeline.copy}) {
    out.sample(stage->busy.count(), {{"stage", stage->name}});
  }
  out.sample(sum.busy.count(), {{"stage", "loader"}});
  out.family("stage_blocked_put_seconds_total",
             "counter",
             "Time that threads of a stage waited for room behind it.");
  out.sample(sum.blocked.count(), {{"stage", "loader"}});
  out.family("stage_starved_get_seconds_total",
             "counter",
             "Time that threads of a stage waited for something to do.");
  out.sample(sum.starved.count(), {{"stage", "loader"}});
}

// What the kernel says of the loader's threads and of the process; of none that it does not.
void write_usage(Exposition& out, const PipelineStats& pipeline) {
  std::optional<double> delay;
  Seconds locked{0};
  for (const WorkerStats& worker : pipeline.workers) {
    locked += worker.lock_wait;
    if (worker.run_delay) {
      delay = delay.value_or(0) + worker.run_delay->count();
    }
  }
  out.family("stage_run_delay_seconds_total",
             "counter",
             "Time in which threads of a stage could have run, but no processor was free.");
  out.sample(delay, {{"stage", "loader"}});
  out.counter("worker_lock_wait_seconds_total",
              "Time in which loader threads waited for one another.",
              locked.count());
  if (!pipeline.process) {
    return;
  }
  const ProcessUsage& process = *pipeline.process;
  out.counter("cpu_seconds_total", "Processor time of the process.", process.cpu.count());
  out.counter("major_faults_total",
              "Pages that had to come from storage.",
              to_double(process.major_faults));
  if (process.read && process.from_storage) {
    const std::int64_t cached =
        std::max<std::int64_t>(0, process.read->value - process.from_storage->value);
    out.family("io_read_bytes_total", "counter", "Bytes read, by where they were.");
    out.sample(to_double(process.from_storage->value), {{"source", "storage"}});
    out.sample(to_double(cached), {{"source", "page_cache"}});
  }
}

void write_devices(Exposition& out, const PipelineStats& pipeline) {
  const auto each = [&](auto&& value) {
    for (const DeviceUse& use : pipeline.devices) {
      out.sample(value(use), {{"device", use.name}, {"role", use.role}});
    }
  };
  out.family("device_busy_seconds_total", "counter", "Time in which a device worked.");
  each([](const DeviceUse& use) { return use.busy.count(); });
  out.family("device_copy_seconds_total", "counter", "Time in which a device copied.");
  each([](const DeviceUse& use) { return use.copying.count(); });
  out.family("device_copied_bytes_total", "counter", "Bytes that were copied to a device.");
  each([](const DeviceUse& use) { return to_double(use.copied.value); });
  out.family("device_memory_bytes", "gauge", "Memory of a device in use.");
  each([](const DeviceUse& use) { return to_double(use.memory.value); });
  out.family("device_memory_most_bytes", "gauge", "Most memory of a device that was ever in use.");
  each([](const DeviceUse& use) { return to_double(use.most_memory.value); });
  out.family("device_memory_limit_bytes", "gauge", "Memory that a device may use.");
  each([](const DeviceUse& use) {
    return use.memory_limit ? std::optional(to_double(use.memory_limit->value)) : std::nullopt;
  });
}

void write_pipeline(Exposition& out, const RunSnapshot& run) {
  if (!run.pipeline) {
    return;
  }
  const PipelineStats& pipeline = *run.pipeline;
  write_queue(out, pipeline);
  write_workers(out, pipeline);
  write_usage(out, pipeline);
  write_devices(out, pipeline);
  out.counter("samples_total", "Utterances delivered by the loader.", to_double(pipeline.rows));
  const MelConfig mel;  // the one definition used everywhere
  out.counter("audio_seconds_total",
              "Speech delivered by the loader, padding not counted.",
              to_double(pipeline.frames.value) * mel.hop / to_double(mel.sample_rate.value));
  out.family("frames_total", "counter", "Mel frames delivered by the loader.");
  out.sample(to_double(pipeline.frames.value), {{"kind", "valid"}});
  out.sample(to_double(pipeline.padded_frames.value), {{"kind", "padded"}});
  out.family("rows_total", "counter", "Utterances by where they came from.");
  out.sample(to_double(pipeline.from_audio), {{"source", "audio"}});
  out.sample(to_double(pipeline.from_store), {{"source", "store"}});
  out.sample(to_double(pipeline.from_cache), {{"source", "cache"}});
  out.family("loader_memory_bytes", "gauge", "Memory of batches on the host.");
  out.sample(to_double(pipeline.window.bytes.value), {{"kind", "lent"}});
  out.sample(to_double(pipeline.window.allocated.value), {{"kind", "allocated"}});
  out.sample(to_double(pipeline.window.budget.value), {{"kind", "budget"}});
}

void write_ring(Exposition& out, const RunSnapshot& run) {
  out.counter("bad_utterances_total",
              "Utterances that could not be used and were replaced.",
              to_double(run.bad_utterances));
  out.counter("out_of_memory_total",
              "Batches that did not fit and were trained in parts.",
              to_double(run.out_of_memory));
  if (!run.ring) {
    return;
  }
  out.gauge("ring_slots", "Slots of the ring on the model device.", run.ring->slots);
  out.gauge("ring_slot_bytes",
            "Memory of one slot on the model device.",
            to_double(run.ring->slot_bytes.value));
  out.counter("batches_total", "Batches that went through the ring.", to_double(run.ring->batches));
}

}  // namespace

std::string prometheus_text(const RunSnapshot& run, const ScrapeContext& context) {
  Exposition out;
  write_build(out, run, context);
  write_session(out, run);
  write_steps(out, run);
  write_learning(out, run);
  write_rates(out, run);
  write_pipeline(out, run);
  write_ring(out, run);
  write_host(out, run);
  write_gpus(out, run.gpus.gpus());
  write_findings(out, context);
  return out.take();
}

}  // namespace qanat
