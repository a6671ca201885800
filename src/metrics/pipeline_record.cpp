#include "metrics/pipeline_record.h"

#include <fmt/format.h>

namespace qanat {
namespace {

// One list of names for writing and reading. `visit(name, value)` with value a Seconds& or an
// integer&; const when `stats` is.
template <typename Stats, typename Visitor>
void visit_numbers(Stats& stats, Visitor&& visit) {
  visit("age", stats.age);
  visit("active_workers", stats.active_workers);
  visit("consumer_busy", stats.consumer_busy);
  visit("batches", stats.batches);
  visit("rows", stats.rows);
  visit("bad", stats.bad);
  visit("from_audio", stats.from_audio);
  visit("from_store", stats.from_store);
  visit("from_cache", stats.from_cache);
  visit("frames", stats.frames.value);
  visit("padded_frames", stats.padded_frames.value);
  visit("bytes", stats.bytes.value);
}

template <typename Ready, typename Visitor>
void visit_ready(Ready& ready, Visitor&& visit) {
  visit("size", ready.size);
  visit("capacity", ready.capacity);
  visit("empty", ready.occupancy.empty);
  visit("partial", ready.occupancy.partial);
  visit("full", ready.occupancy.full);
  visit("waits", ready.pop_wait.count);
  visit("waited", ready.pop_wait.total);
}

template <typename Window, typename Visitor>
void visit_window(Window& window, Visitor&& visit) {
  visit("batches", window.batches);
  visit("limit", window.limit);
  visit("bytes", window.bytes.value);
  visit("most_bytes", window.most_bytes.value);
  visit("allocated", window.allocated.value);
  visit("budget", window.budget.value);
}

template <typename Worker, typename Visitor>
void visit_worker(Worker& worker, Visitor&& visit) {
  visit("rows", worker.rows);
  visit("busy", worker.busy);
  visit("blocked", worker.blocked);
  visit("starved", worker.starved);
  visit("parked", worker.parked);
}

template <typename Stats, typename Visitor>
void visit_stages(Stats& stats, Visitor&& visit) {
  visit("decode", stats.decode);
  visit("mel", stats.mel);
  visit("tokens", stats.tokens);
  visit("copy", stats.copy);
}

auto writer(nlohmann::json& to) {
  return [&to](const char* name, const auto& value) {
    if constexpr (requires { value.count(); }) {
      to[name] = value.count();
    } else {
      to[name] = value;
    }
  };
}

auto reader(const nlohmann::json& from) {
  return [&from](const char* name, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (requires { value.count(); }) {
      value = Value(from.at(name).template get<double>());
    } else {
      value = from.at(name).template get<Value>();
    }
  };
}

PipelineStats read(const nlohmann::json& line) {
  PipelineStats stats;
  visit_numbers(stats, reader(line));
  visit_ready(stats.ready, reader(line.at("ready")));
  visit_window(stats.window, reader(line.at("window")));
  visit_stages(stats, [&line](const char* name, StageStats& stage) {
    const nlohmann::json& from = line.at("stages").at(name);
    stage.done = from.at("done").get<std::int64_t>();
    stage.busy = Seconds(from.at("busy").get<double>());
  });
  for (const nlohmann::json& worker : line.at("workers")) {
    visit_worker(stats.workers.emplace_back(), reader(worker));
  }
  return stats;
}

}  // namespace

Event to_event(const PipelineStats& stats) {
  Event event{.kind = "pipeline"};
  visit_numbers(stats, writer(event.fields));
  visit_ready(stats.ready, writer(event.fields["ready"]));
  visit_window(stats.window, writer(event.fields["window"]));
  nlohmann::json& stages = event.fields["stages"];
  visit_stages(stats, [&stages](const char* name, const StageStats& stage) {
    stages[name] = {{"done", stage.done}, {"busy", stage.busy.count()}};
  });
  nlohmann::json& workers = event.fields["workers"] = nlohmann::json::array();
  for (const WorkerStats& worker : stats.workers) {
    visit_worker(worker, writer(workers.emplace_back(nlohmann::json::object())));
  }
  return event;
}

Result<PipelineStats> to_pipeline_stats(const nlohmann::json& line) {
  try {
    if (line.at("kind") != "pipeline") {
      return Failure{"journal line: not of a pipeline"};
    }
    return read(line);
  } catch (const nlohmann::json::exception& error) {
    return Failure{fmt::format("journal line of a pipeline: {}", error.what())};
  }
}

}  // namespace qanat
