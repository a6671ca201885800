#include "telemetry/run_tracer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/files.h"
#include "metrics/slot_line.h"

namespace qanat {
namespace {

// Of bookkeeping that a journal of ours never reaches.
constexpr std::size_t kMostKept = 4096;
// The ring's watcher is never that many batches behind the trainer.
constexpr std::size_t kMostPending = 64;

// Where tracks stand in the picture.
namespace rank {
constexpr int steps = 0;
constexpr int loss = 1;
constexpr int slots = 10;
constexpr int feeder = 200;
constexpr int queue = 201;
constexpr int workers = 300;
constexpr int jobs = 800;
constexpr int events = 900;
}  // namespace rank

std::int64_t to_nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

std::optional<double> number_at(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number()) {
    return std::nullopt;
  }
  return found->get<double>();
}

std::int64_t integer_at(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

// Equal for equal arguments, and else different: a finaliser of a good hash over a sum that tells
// small numbers apart.
std::uint64_t flow_id(const std::pair<std::int64_t, std::int64_t>& batch, int row) {
  auto bits = static_cast<std::uint64_t>(batch.first) * 0x9E3779B97F4A7C15U +
              static_cast<std::uint64_t>(batch.second) * 0xC2B2AE3D27D4EB4FU +
              static_cast<std::uint64_t>(row + 2) * 0x165667B19E3779F9U;
  bits = (bits ^ bits >> 30U) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ bits >> 27U) * 0x94D049BB133111EBU;
  return bits ^ bits >> 31U;
}

constexpr int kWholeBatch = -1;

template <typename Map>
void bound(Map& map) {
  while (map.size() > kMostKept) {
    map.erase(map.begin());
  }
}

TraceNotes notes_of(const StepRecord& record) {
  return {
      {"epoch", fmt::to_string(record.epoch)},
      {"batch", fmt::to_string(record.batch)},
      {"loss", fmt::format("{:.6g}", record.losses.total)},
      {"shape",
       fmt::format("{} x {} frames, {} tokens", record.rows, record.padded_frames, record.tokens)}};
}

}  // namespace

RunTracer::RunTracer(const TraceOptions& options)
    : options_(options), encoder_(make_trace_encoder(options.format)), store_(options.budget) {}

RunTracer::Track& RunTracer::track(const std::string& name, int rank, TraceTrackKind kind) {
  const auto found = tracks_.find(name);
  if (found != tracks_.end()) {
    return found->second;
  }
  Track made{
      .track = {.id = static_cast<int>(tracks_.size()), .name = name, .kind = kind, .rank = rank}};
  return tracks_.emplace(name, std::move(made)).first->second;
}

// Moments come from several clocks' readings, to the microsecond: what would overlap by that much
// is made to touch.
void RunTracer::put_slice(Track& track, TraceSlice slice, TraceStore::Group group) {
  slice.begin = std::max(slice.begin, track.newest);
  slice.end = std::max(slice.end, slice.begin);
  std::int64_t inside = slice.begin;
  for (TraceSlice& inner : slice.inner) {
    inner.begin = std::clamp(inner.begin, inside, slice.end);
    inner.end = std::clamp(inner.end, inner.begin, slice.end);
    inside = inner.end;
  }
  track.newest = slice.end;
  std::string records;
  encoder_->put_slice(records, track.track.id, slice);
  store_.add(records, group);
}

void RunTracer::put_instant(const std::string& name, std::int64_t at, const nlohmann::json& line) {
  TraceNotes notes;
  for (const auto& [key, value] : line.items()) {
    if (key != "kind" && key != "t" && value.is_primitive()) {
      notes.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  Track& events = track("events", rank::events);
  events.newest = std::max(events.newest, at);
  std::string records;
  encoder_->put_instant(records, events.track.id, events.newest, name, notes);
  store_.add(records);
}

void RunTracer::put_counter(const std::string& name,
                            const std::string& unit,
                            std::int64_t at,
                            double value) {
  if (!std::isfinite(value)) {
    return;
  }
  Track& counter = track(name, name == "loss" ? rank::loss : rank::queue, TraceTrackKind::counter);
  counter.track.unit = unit;
  counter.newest = std::max(counter.newest, at);
  std::string records;
  encoder_->put_counter(records, counter.track, counter.newest, value);
  store_.add(records);
}

void RunTracer::begin_session() {
  store_ = TraceStore(options_.budget);
  tracks_.clear();
  read_.clear();
  row_sets_.clear();
  pending_.clear();
  longest_.clear();
  ring_origin_ = 0;
  steps_ = 0;
}

void RunTracer::add_line(const nlohmann::json& line) {
  const auto found = line.find("kind");
  const std::optional<double> t = number_at(line, "t");
  if (found == line.end() || !found->is_string() || !t) {
    return;
  }
  const auto kind = found->get<std::string>();
  const std::int64_t at = to_nanoseconds(*t);
  if (kind == "journal") {
    if (!line.contains("continues")) {  // a file that goes on where a full one ended
      begin_session();
    }
  } else if (kind == "step") {
    add_step(line, at);
  } else if (kind == "slot") {
    add_slot(line);
  } else if (kind == "ring_start") {
    ring_origin_ = at;
  } else if (kind == "pipeline") {
    add_pipeline(line, at);
  } else if (kind == "checkpoint" || kind == "render") {
    add_job(kind + "s", line, at);
  } else {
    put_instant(kind, at, line);
  }
}

void RunTracer::add_row(const TracedRow& row) {
  const BatchKey batch{row.epoch, row.batch};
  row_sets_[batch].push_back(row.row);
  bound(row_sets_);
  put_slice(track(fmt::format("loader worker {}", row.worker), rank::workers + row.worker),
            {.name = row.utterance,
             .begin = to_nanoseconds(row.begin.count()),
             .end = to_nanoseconds(row.end.count()),
             .flows = {{.id = flow_id(batch, row.row), .stage = FlowStage::begin}},
             .notes = {{"epoch", fmt::to_string(row.epoch)},
                       {"batch", fmt::to_string(row.batch)},
                       {"row", fmt::to_string(row.row)}}},
            flow_id(batch, kWholeBatch));
}

// Of each utterance into its batch.
std::vector<TraceFlow> RunTracer::take_row_flows(const BatchKey& batch) {
  std::vector<TraceFlow> flows;
  const auto rows = row_sets_.find(batch);
  if (rows != row_sets_.end()) {
    for (const int row : rows->second) {
      flows.push_back({.id = flow_id(batch, row), .stage = FlowStage::end});
    }
    row_sets_.erase(rows);
  }
  return flows;
}

std::optional<std::pair<std::int64_t, std::int64_t>> RunTracer::ring_interval(
    const nlohmann::json& line, const char* stage) const {
  const std::optional<StageTime> time = stage_time(line, stage);
  return time ? std::optional(std::pair{ring_origin_ + to_nanoseconds(time->begin),
                                        ring_origin_ + to_nanoseconds(time->end)})
              : std::nullopt;
}

void RunTracer::add_slot(const nlohmann::json& line) {
  const BatchKey batch{integer_at(line, "epoch"), integer_at(line, "batch")};
  if (const auto load = ring_interval(line, "load")) {
    put_slice(track("feeder", rank::feeder),
              {.name = "wait for the loader", .begin = load->first, .end = load->second},
              flow_id(batch, kWholeBatch));
  }
  put_slot_stages(line, batch);
  if (const auto train = ring_interval(line, "train")) {
    read_[batch] = train->second;
    bound(read_);
  }
  put_pending_steps(kMostPending);
}

// On the data device a slot may hold the next batch while the model still reads this one: two
// tracks.
void RunTracer::put_slot_stages(const nlohmann::json& line, const BatchKey& batch) {
  const auto slot = static_cast<int>(integer_at(line, "slot"));
  const TraceNotes notes{{"epoch", fmt::to_string(batch.first)},
                         {"batch", fmt::to_string(batch.second)}};
  std::vector<TraceFlow> flows = take_row_flows(batch);
  flows.push_back({.id = flow_id(batch, kWholeBatch), .stage = FlowStage::begin});
  const auto put = [&](Track& track, const char* name, const auto& interval) {
    put_slice(track,
              {.name = name,
               .begin = interval.first,
               .end = interval.second,
               .flows = std::exchange(flows, {}),
               .notes = notes},
              flow_id(batch, kWholeBatch));
  };
  for (const char* stage : {"stage", "prepare"}) {
    if (const auto interval = ring_interval(line, stage)) {
      put(track(fmt::format("slot {} on the data device", slot), rank::slots + 2 * slot),
          stage,
          *interval);
    }
  }
  Track& model = track(fmt::format("slot {}", slot), rank::slots + 2 * slot + 1);
  const auto copy = ring_interval(line, "copy");
  const auto train = ring_interval(line, "train");
  if (copy) {
    put(model, "copy", *copy);
  }
  if (copy && train && train->first > copy->second) {
    put(model, "ready", std::pair{copy->second, train->first});
  }
  if (train) {
    put(model, "in use", *train);
  }
}

void RunTracer::add_step(const nlohmann::json& line, std::int64_t at) {
  if (Result<StepRecord> record = to_step_record(line)) {
    pending_.push_back({.record = std::move(record).value(), .reported = at});
    put_pending_steps(kMostPending);
  }
}

// In order: a step waits for the times of its batch, and those behind it wait for it.
void RunTracer::put_pending_steps(std::size_t most_pending) {
  while (!pending_.empty()) {
    const PendingStep& first = pending_.front();
    const auto read = read_.find({first.record.epoch, first.record.batch});
    if (read != read_.end()) {
      put_step(first.record, read->second + to_nanoseconds(first.record.phases.optimizer.count()));
      read_.erase(read_.begin(), std::next(read));
    } else if (pending_.size() > most_pending) {
      put_step(first.record, first.reported);
    } else {
      return;
    }
    pending_.pop_front();
  }
}

// The ledger is closed, so that its parts laid end to end are the step. Idle parts come first.
void RunTracer::put_step(const StepRecord& record, std::int64_t end) {
  const StepPhases& p = record.phases;
  Track& steps = track("steps", rank::steps);
  const std::int64_t length = to_nanoseconds(p.total().count());
  // It did not begin before the one before had ended: what is idle may also lie behind the batch.
  const std::int64_t begin = std::max(end - length, steps.newest);
  TraceSlice step{.name = fmt::format("step {}", record.step),
                  .begin = begin,
                  .end = begin + length,
                  .notes = notes_of(record)};
  std::int64_t from = step.begin;
  for (const auto& [name, part] : {std::pair("wait", p.wait),
                                   std::pair("transfer", p.transfer),
                                   std::pair("checkpoint", p.checkpoint),
                                   std::pair("residual", p.residual),
                                   std::pair("forward", p.forward),
                                   std::pair("loss", p.loss),
                                   std::pair("backward", p.backward),
                                   std::pair("retry", p.retry),
                                   std::pair("optimizer", p.optimizer)}) {
    const std::int64_t to = from + std::max<std::int64_t>(0, to_nanoseconds(part.count()));
    if (to > from) {
      step.inner.push_back({.name = name, .begin = from, .end = to});
    }
    from = to;
  }
  // Into the forward pass, and not into the step: that may begin before its batch is there.
  const auto forward = std::ranges::find(step.inner, "forward", &TraceSlice::name);
  std::vector<TraceFlow>& flows = forward == step.inner.end() ? step.flows : forward->flows;
  for (std::int64_t batch = record.batch - record.batches + 1; batch <= record.batch; ++batch) {
    flows.push_back({.id = flow_id({record.epoch, batch}, kWholeBatch), .stage = FlowStage::end});
  }
  ++steps_;
  rate_step(record);
  put_slice(steps, std::move(step), flow_id({record.epoch, record.batch}, kWholeBatch));
  put_counter("loss", "", begin + length, record.losses.total);
}

// The longer a step, the more its batches are worth keeping.
void RunTracer::rate_step(const StepRecord& record) {
  const double seconds = record.phases.total().count();
  for (std::int64_t batch = record.batch - record.batches + 1; batch <= record.batch; ++batch) {
    store_.rate(flow_id({record.epoch, batch}, kWholeBatch), seconds);
  }
  longest_.emplace(seconds, record.step);
  if (longest_.size() > TraceStore::kKeptGroups) {
    longest_.erase(std::prev(longest_.end()));
  }
}

TraceNotes RunTracer::longest_steps() const {
  TraceNotes notes;
  for (const auto& [seconds, step] : longest_) {
    notes.emplace_back(fmt::format("step {}", step), fmt::format("{:.3f} ms", 1000 * seconds));
  }
  return notes;
}

// Something that took some time and was journalled when it was done.
void RunTracer::add_job(const std::string& track_name,
                        const nlohmann::json& line,
                        std::int64_t at) {
  const std::int64_t length = to_nanoseconds(number_at(line, "seconds").value_or(0));
  put_slice(
      track(track_name, rank::jobs),
      {.name = fmt::format("step {}", integer_at(line, "step")), .begin = at - length, .end = at});
}

void RunTracer::add_pipeline(const nlohmann::json& line, std::int64_t at) {
  const auto put = [&](const char* name, const char* unit, const char* of, const char* field) {
    const auto part = line.find(of);
    if (part == line.end() || !part->is_object()) {
      return;
    }
    if (const std::optional<double> value = number_at(*part, field)) {
      put_counter(name, unit, at, *value);
    }
  };
  put("ready batches", "batches", "ready", "size");
  put("batches in the window", "batches", "window", "batches");
  put("memory of the window", "B", "window", "bytes");
  if (const std::optional<double> workers = number_at(line, "active_workers")) {
    put_counter("active workers", "", at, *workers);
  }
  const auto devices = line.find("devices");
  if (devices == line.end() || !devices->is_array()) {
    return;
  }
  for (const nlohmann::json& device : *devices) {
    const std::optional<double> memory =
        device.is_object() ? number_at(device, "memory") : std::nullopt;
    if (memory && device.contains("name") && device.at("name").is_string()) {
      put_counter(
          fmt::format("memory of {}", device.at("name").get<std::string>()), "B", at, *memory);
    }
  }
}

void RunTracer::write(const std::filesystem::path& path) {
  put_pending_steps(0);
  std::string head;
  encoder_->open(head);
  for (const auto& [name, one] : tracks_) {
    encoder_->put_track(head, one.track);
  }
  std::string end;
  if (store_.left_out() > 0) {
    Track& events = track("events", rank::events);
    encoder_->put_instant(
        end,
        events.track.id,
        events.newest,
        fmt::format("{} records in the middle of the run were left out; the longest steps are here",
                    store_.left_out()),
        longest_steps());
    encoder_->put_track(head, events.track);
  }
  encoder_->close(end);
  AtomicFile file(path);
  file.write(head);
  const TraceStore::Contents contents = store_.contents();
  file.write(contents.head);
  for (const std::string_view kept : contents.middle) {
    file.write(kept);
  }
  for (const std::string_view chunk : contents.tail) {
    file.write(chunk);
  }
  file.write(end);
  file.commit();
}

}  // namespace qanat
