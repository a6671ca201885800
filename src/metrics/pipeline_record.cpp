#include "metrics/pipeline_record.h"

#include <algorithm>
#include <vector>

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

// What came later than the rest, or is not known everywhere: absent in some lines.
template <typename Worker, typename Visitor>
void visit_worker_usage(Worker& worker, Visitor&& visit) {
  visit("cpu", worker.cpu);
  visit("run_delay", worker.run_delay);
  visit("lock_wait", worker.lock_wait);
  visit("major_faults", worker.major_faults);
}

template <typename Process, typename Visitor>
void visit_process(Process& process, Visitor&& visit) {
  visit("cpu", process.cpu);
  visit("major_faults", process.major_faults);
  visit("read_pipeline", process.read);
  visit("from_storage", process.from_storage);
}

template <typename Ring, typename Visitor>
void visit_ring(Ring& ring, Visitor&& visit) {
  visit("slots", ring.slots);
  visit("empty", ring.ready.empty);
  visit("partial", ring.ready.partial);
  visit("full", ring.ready.full);
  visit("starvations", ring.starved.count);
  visit("starved", ring.starved.total);
  visit("free_waits", ring.free_wait.count);
  visit("free_waited", ring.free_wait.total);
}

template <typename Device, typename Visitor>
void visit_device(Device& device, Visitor&& visit) {
  visit("role", device.role);
  visit("name", device.name);
  visit("busy", device.busy);
  visit("copying", device.copying);
  visit("copied", device.copied);
  visit("host_waits", device.host_waits);
  visit("memory", device.memory);
  visit("most_memory", device.most_memory);
  visit("memory_limit", device.memory_limit);
}

template <typename Row, typename Visitor>
void visit_slow_row(Row& row, Visitor&& visit) {
  visit("file", row.file);
  visit("seconds", row.time);
  visit("times", row.times);
}

template <typename Stats, typename Visitor>
void visit_stages(Stats& stats, Visitor&& visit) {
  visit("decode", stats.decode);
  visit("mel", stats.mel);
  visit("tokens", stats.tokens);
  visit("copy", stats.copy);
}

template <typename T>
nlohmann::json json_number(const T& value) {
  if constexpr (requires { value.count(); }) {
    return value.count();
  } else if constexpr (requires { value.value; }) {
    return value.value;
  } else {
    return value;
  }
}

template <typename T>
T from_number(const nlohmann::json& json) {
  if constexpr (requires(T value) { value.count(); }) {
    return T(json.get<double>());
  } else if constexpr (requires(T value) { value.value; }) {
    return T{json.get<std::int64_t>()};
  } else {
    return json.get<T>();
  }
}

// What is unknown is left out.
auto writer(nlohmann::json& to) {
  return [&to](const char* name, const auto& value) {
    if constexpr (requires { value.has_value(); }) {
      if (value) {
        to[name] = json_number(*value);
      }
    } else {
      to[name] = json_number(value);
    }
  };
}

auto reader(const nlohmann::json& from) {
  return [&from](const char* name, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    value = from_number<Value>(from.at(name));
  };
}

// Passes over what is not there.
auto optional_reader(const nlohmann::json& from) {
  return [&from](const char* name, auto& value) {
    using Value = std::remove_reference_t<decltype(value)>;
    const auto found = from.find(name);
    if (found == from.end() || found->is_null()) {
      return;
    }
    if constexpr (requires { value.has_value(); }) {
      value = from_number<typename Value::value_type>(*found);
    } else {
      value = from_number<Value>(*found);
    }
  };
}

nlohmann::json to_json(const LogHistogram& histogram) {
  const auto end = std::ranges::find_if(histogram.counts.rbegin(),
                                        histogram.counts.rend(),
                                        [](std::int64_t count) { return count != 0; });
  return std::vector<std::int64_t>(histogram.counts.begin(), end.base());
}

LogHistogram to_histogram(const nlohmann::json& counts) {
  LogHistogram histogram;
  for (std::size_t i = 0; i < std::min(counts.size(), histogram.counts.size()); ++i) {
    // No more than a sum of all buckets can hold.
    histogram.counts[i] = std::clamp<std::int64_t>(counts.at(i).get<std::int64_t>(), 0, 1LL << 56);
  }
  return histogram;
}

void read_optional(const nlohmann::json& line, PipelineStats& stats) {
  if (const auto found = line.find("row_times"); found != line.end()) {
    stats.row_times = to_histogram(*found);
  }
  if (const auto found = line.find("process"); found != line.end()) {
    visit_process(stats.process.emplace(), optional_reader(*found));
  }
  if (const auto found = line.find("ring"); found != line.end()) {
    visit_ring(stats.ring.emplace(), optional_reader(*found));
  }
  for (const nlohmann::json& device : line.value("devices", nlohmann::json::array())) {
    visit_device(stats.devices.emplace_back(), optional_reader(device));
  }
  for (const nlohmann::json& row : line.value("slowest", nlohmann::json::array())) {
    visit_slow_row(stats.slowest.emplace_back(), optional_reader(row));
  }
}

void write_optional(const PipelineStats& stats, nlohmann::json& fields) {
  fields["row_times"] = to_json(stats.row_times);
  if (stats.process) {
    visit_process(*stats.process, writer(fields["process"]));
  }
  if (stats.ring) {
    visit_ring(*stats.ring, writer(fields["ring"]));
  }
  for (const DeviceUse& device : stats.devices) {
    visit_device(device, writer(fields["devices"].emplace_back(nlohmann::json::object())));
  }
  for (const SlowRow& row : stats.slowest) {
    visit_slow_row(row, writer(fields["slowest"].emplace_back(nlohmann::json::object())));
  }
}

PipelineStats read_pipeline(const nlohmann::json& line) {
  PipelineStats stats;
  visit_numbers(stats, reader(line));
  visit_ready(stats.ready, reader(line.at("ready")));
  visit_window(stats.window, reader(line.at("window")));
  // Other trainers do not say what their workers do with a row.
  if (const auto stages = line.find("stages"); stages != line.end()) {
    visit_stages(stats, [&stages](const char* name, StageStats& stage) {
      const nlohmann::json& from = stages->at(name);
      stage.done = from.at("done").get<std::int64_t>();
      stage.busy = Seconds(from.at("busy").get<double>());
    });
  }
  for (const nlohmann::json& worker : line.at("workers")) {
    visit_worker(stats.workers.emplace_back(), reader(worker));
    visit_worker_usage(stats.workers.back(), optional_reader(worker));
  }
  read_optional(line, stats);
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
    nlohmann::json& to = workers.emplace_back(nlohmann::json::object());
    visit_worker(worker, writer(to));
    visit_worker_usage(worker, writer(to));
  }
  write_optional(stats, event.fields);
  return event;
}

Result<PipelineStats> to_pipeline_stats(const nlohmann::json& line) {
  try {
    if (line.at("kind") != "pipeline") {
      return Failure{"journal line: not of a pipeline"};
    }
    return read_pipeline(line);
  } catch (const nlohmann::json::exception& error) {
    return Failure{fmt::format("journal line of a pipeline: {}", error.what())};
  }
}

}  // namespace qanat
