#include "metrics/run_snapshot.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "metrics/pipeline_record.h"

namespace qanat {
namespace {

// Kinds beside the known ones that are kept: more are no journal of ours.
constexpr std::size_t kMostKinds = 64;

std::string text_of(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <typename Number>
std::optional<Number> number_of(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number()) {
    return std::nullopt;
  }
  return found->get<Number>();
}

void begin_session(RunSnapshot& now, const nlohmann::json& header) {
  now = RunSnapshot{.sessions = now.sessions + 1};
  now.started = text_of(header, "started");
  now.command = text_of(header, "command");
  now.model_device = text_of(header, "device");
}

void add_step(RunSnapshot& now, const nlohmann::json& line) {
  const Result<StepRecord> read = to_step_record(line);
  if (!read) {
    return;
  }
  const StepRecord& step = read.value();
  const Seconds total = step.phases.total();
  ++now.steps;
  now.skipped_steps += step.skipped ? 1 : 0;
  now.frames += step.frames;
  now.newest = step;
  now.step_seconds.add(total);
  now.seconds += step.phases;
  now.recent.push_back(
      {.step = step.step, .at = now.at, .loss = step.losses.total, .phases = step.phases});
  if (now.recent.size() > RunSnapshot::kRecentSteps) {
    now.recent.pop_front();
  }
}

void begin_ring(RunSnapshot& now, const nlohmann::json& line) {
  now.ring = {.slots = number_of<int>(line, "slots").value_or(0),
              .most_slots = number_of<int>(line, "most_slots").value_or(0),
              .slot_bytes = Bytes{number_of<std::int64_t>(line, "slot_bytes").value_or(0)}};
}

void add_other(RunSnapshot& now, const std::string& kind, const nlohmann::json& line) {
  if (now.latest.contains(kind) || now.latest.size() < kMostKinds) {
    now.latest[kind] = line;
  }
}

}  // namespace

void DurationHistogram::add(Seconds duration) {
  std::size_t bin = 0;
  while (bin < kEdges && duration.count() > edge(bin)) {
    ++bin;
  }
  ++counts[bin];
  sum += duration;
}

std::int64_t DurationHistogram::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::optional<double> RunSnapshot::steps_per_second() const {
  Seconds total{0};
  for (const RecentStep& step : recent) {
    total += step.phases.total();
  }
  if (recent.size() < 2 || total.count() <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(recent.size()) / total.count();
}

std::optional<double> RunSnapshot::wait_share() const {
  Seconds total{0};
  Seconds waited{0};
  for (const RecentStep& step : recent) {
    total += step.phases.total();
    waited += step.phases.wait + step.phases.transfer;
  }
  if (recent.size() < 2 || total.count() <= 0) {
    return std::nullopt;
  }
  return waited / total;
}

void RunSnapshot::add(const nlohmann::json& line) {
  const std::string kind = text_of(line, "kind");
  // A file that goes on where a full one ended is still the same session.
  if (kind == "journal" && (sessions == 0 || !line.contains("continues"))) {
    begin_session(*this, line);
  }
  at = std::max(at, Seconds(number_of<double>(line, "t").value_or(0)));
  if (kind == "step") {
    add_step(*this, line);
  } else if (kind == "slot") {
    if (ring) {
      ++ring->batches;
    }
  } else if (kind == "pipeline") {
    if (const Result<PipelineStats> stats = to_pipeline_stats(line)) {
      pipeline = stats.value();
    }
  } else if (kind == "ring_start") {
    begin_ring(*this, line);
  } else if (kind == "bad_utterance") {
    ++bad_utterances;
  } else if (kind == "out_of_memory") {
    ++out_of_memory;
  } else if (kind == "ended") {
    ending = text_of(line, "ending");
  } else if (!kind.empty() && kind != "journal") {
    if (kind == "run") {
      mode = text_of(line, "mode");
      last_step = number_of<std::int64_t>(line, "last_step");
    }
    if (kind == "devices") {
      gpus.add(line, Seconds(number_of<double>(line, "t").value_or(at.count())));
    }
    if (kind == "autotune" && ring) {
      ring->slots = number_of<int>(line, "slots").value_or(ring->slots);
    }
    add_other(*this, kind, line);
  }
}

void LiveSnapshot::record(const Event& event) {
  nlohmann::json line = event.fields;
  line["kind"] = event.kind;
  const std::lock_guard lock(mutex_);
  if (event.kind == "journal") {
    start_ = Clock::now();
  }
  line["t"] = seconds_since(start_).count();
  snapshot_.add(line);
}

RunSnapshot LiveSnapshot::read() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

}  // namespace qanat
