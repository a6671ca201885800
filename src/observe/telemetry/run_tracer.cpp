#include "telemetry/run_tracer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/files.h"

namespace qanat {
namespace {

// Bounds the bookkeeping; a journal of ours never reaches it.
constexpr std::size_t kMaxKept = 4096;
// The ring's watcher is never that many batches behind the trainer.
constexpr std::size_t kMaxPending = 64;
// No ring has more.
constexpr int kMaxSlot = 1023;

// Where tracks stand in the picture.
namespace rank {
constexpr int kSteps = 0;
constexpr int kLoss = 1;
constexpr int kSlots = 10;
constexpr int kFeeder = 200;
constexpr int kQueue = 201;
constexpr int kWorkers = 300;
constexpr int kJobs = 800;
constexpr int kEvents = 900;
}  // namespace rank

// No journal makes a sum of a few overflow.
constexpr std::int64_t kLatest = 4'000'000'000'000'000'000;  // ns: a century
std::int64_t to_nanoseconds(double seconds) {
  constexpr double kLongest = 1e8;  // s: three years
  return std::isnan(seconds) ? 0 : std::llround(std::clamp(seconds, -kLongest, kLongest) * 1e9);
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

// The batches of an update; the last ones where a journal says that there were more than can be.
void visit_batches(const StepRecord& record, const auto& visit) {
  constexpr int kMax = 1024;
  const std::int64_t before = std::clamp<std::int64_t>(record.batch, 0, kMax);
  const std::int64_t others = std::min<std::int64_t>(before, record.batches - std::int64_t{1});
  for (std::int64_t back = others; back >= 0; --back) {
    visit(std::pair(record.epoch, record.batch - back));
  }
}

template <typename Map>
void bound(Map& map) {
  while (map.size() > kMaxKept) {
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

void RunTracer::put_instant(const JournalEvent& event, std::int64_t at) {
  TraceNotes notes;
  const nlohmann::json fields = to_fields(event);
  for (const auto& [key, value] : fields.items()) {
    if (value.is_primitive()) {
      notes.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  Track& events = track("events", rank::kEvents);
  events.newest = std::max(events.newest, at);
  std::string records;
  encoder_->put_instant(
      records, events.track.id, events.newest, std::string(kind_of(event)), notes);
  store_.add(records);
}

void RunTracer::put_counter(const std::string& name,
                            const std::string& unit,
                            std::int64_t at,
                            double value) {
  if (!std::isfinite(value)) {
    return;
  }
  Track& counter =
      track(name, name == "loss" ? rank::kLoss : rank::kQueue, TraceTrackKind::counter);
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

void RunTracer::add(const JournalEntry& entry) {
  if (!entry.at || kind_of(entry.event).empty()) {
    return;
  }
  const std::int64_t at = to_nanoseconds(entry.at->count());
  std::visit(OnEvent{[this](const SessionStart& header) {
                       if (!header.continues) {
                         begin_session();
                       }
                     },
                     [&](const StepRecord& step) {
                       pending_.push_back({.record = step, .reported = at});
                       put_pending_steps(kMaxPending);
                     },
                     [](const PastSteps&) {},  // when each began is not known any more
                     [this](const SlotRecord& slot) { add_slot(slot); },
                     [&](const RingStart&) { ring_origin_ = at; },
                     [&](const PipelineStats& stats) { add_pipeline(stats, at); },
                     [&](const CheckpointSaved& saved) {
                       put_job("checkpoints", saved.step, saved.seconds, at);
                     },
                     [&](const EvaluationRendered& render) {
                       put_job("renders", render.step, render.seconds, at);
                     },
                     [&](const auto&) { put_instant(entry.event, at); }},
             entry.event);
}

void RunTracer::add_row(const TracedRow& row) {
  const BatchKey batch{row.epoch, row.batch};
  row_sets_[batch].push_back(row.row);
  bound(row_sets_);
  put_slice(track(fmt::format("loader worker {}", row.worker), rank::kWorkers + row.worker),
            {.name = row.utterance,
             .begin = to_nanoseconds(row.begin.count()),
             .end = to_nanoseconds(row.end.count()),
             .flows = {{.id = flow_id(batch, row.row), .stage = FlowStage::begin}},
             .notes = {{"epoch", fmt::to_string(row.epoch)},
                       {"batch", fmt::to_string(row.batch)},
                       {"row", fmt::to_string(row.row)}}},
            flow_id(batch, kWholeBatch));
}

// Returns a flow from each utterance into its batch.
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

std::pair<std::int64_t, std::int64_t> RunTracer::ring_interval(const StageTime& stage) const {
  return {ring_origin_ + to_nanoseconds(stage.begin), ring_origin_ + to_nanoseconds(stage.end)};
}

void RunTracer::add_slot(const SlotRecord& slot) {
  const BatchKey batch{slot.epoch, slot.batch};
  if (slot.load) {
    const auto [begin, end] = ring_interval(*slot.load);
    put_slice(track("feeder", rank::kFeeder),
              {.name = "wait for the loader", .begin = begin, .end = end},
              flow_id(batch, kWholeBatch));
  }
  put_slot_stages(slot, batch);
  if (slot.train) {
    read_[batch] = ring_interval(*slot.train).second;
    bound(read_);
  }
  put_pending_steps(kMaxPending);
}

// On the data device a slot may hold the next batch while the model still reads this one: two
// tracks.
void RunTracer::put_slot_stages(const SlotRecord& slot, const BatchKey& batch) {
  const TraceNotes notes{{"epoch", fmt::to_string(batch.first)},
                         {"batch", fmt::to_string(batch.second)}};
  std::vector<TraceFlow> flows = take_row_flows(batch);
  flows.push_back({.id = flow_id(batch, kWholeBatch), .stage = FlowStage::begin});
  const auto put = [&](Track& track, const char* name, const std::optional<StageTime>& stage) {
    if (!stage) {
      return;
    }
    const auto [begin, end] = ring_interval(*stage);
    put_slice(track,
              {.name = name,
               .begin = begin,
               .end = end,
               .flows = std::exchange(flows, {}),
               .notes = notes},
              flow_id(batch, kWholeBatch));
  };
  const int number = std::clamp(slot.slot, 0, kMaxSlot);
  if (slot.stage || slot.prepare) {
    Track& data =
        track(fmt::format("slot {} on the data device", number), rank::kSlots + 2 * number);
    put(data, "stage", slot.stage);
    put(data, "prepare", slot.prepare);
  }
  Track& model = track(fmt::format("slot {}", number), rank::kSlots + 2 * number + 1);
  put(model, "copy", slot.copy);
  if (slot.copy && slot.train && slot.train->begin > slot.copy->end) {
    put(model, "ready", StageTime{.begin = slot.copy->end, .end = slot.train->begin});
  }
  put(model, "in use", slot.train);
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

// The parts of the breakdown add up, so that laid end to end they are the step. Idle parts come
// first.
void RunTracer::put_step(const StepRecord& record, std::int64_t end) {
  const StepPhases& p = record.phases;
  Track& steps = track("steps", rank::kSteps);
  const std::int64_t length = to_nanoseconds(p.total().count());
  // It did not begin before the one before had ended: what is idle may also lie behind the batch.
  const std::int64_t begin = std::min(std::max(end - length, steps.newest), kLatest);
  TraceSlice step{.name = fmt::format("step {}", record.step),
                  .begin = begin,
                  .end = begin + length,
                  .notes = notes_of(record)};
  std::int64_t from = step.begin;
  for (const bool before : {true, false}) {
    for (const StepPart& part : kStepParts) {
      const bool is_now = (part.kind == StepPartKind::before) == before;
      const std::int64_t to =
          from + (is_now ? std::max<std::int64_t>(0, to_nanoseconds((p.*part.time).count())) : 0);
      if (to > from) {
        step.inner.push_back({.name = std::string(part.name), .begin = from, .end = to});
      }
      from = to;
    }
  }
  // Into the forward pass, and not into the step: that may begin before its batch is there.
  const auto forward = std::ranges::find(step.inner, "forward", &TraceSlice::name);
  std::vector<TraceFlow>& flows = forward == step.inner.end() ? step.flows : forward->flows;
  visit_batches(record, [&](const BatchKey& batch) {
    flows.push_back({.id = flow_id(batch, kWholeBatch), .stage = FlowStage::end});
  });
  ++steps_;
  rate_step(record);
  put_slice(steps, std::move(step), flow_id({record.epoch, record.batch}, kWholeBatch));
  put_counter("loss", "", begin + length, record.losses.total);
}

// The longer a step, the more its batches are worth keeping.
void RunTracer::rate_step(const StepRecord& record) {
  const double seconds = record.phases.total().count();
  visit_batches(record,
                [&](const BatchKey& batch) { store_.rate(flow_id(batch, kWholeBatch), seconds); });
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
void RunTracer::put_job(const std::string& track_name,
                        std::int64_t step,
                        Seconds took,
                        std::int64_t end) {
  put_slice(track(track_name, rank::kJobs),
            {.name = fmt::format("step {}", step),
             .begin = end - to_nanoseconds(took.count()),
             .end = end});
}

void RunTracer::add_pipeline(const PipelineStats& stats, std::int64_t at) {
  const auto put = [&](const std::string& name, const char* unit, auto value) {
    put_counter(name, unit, at, static_cast<double>(value));
  };
  put("ready batches", "batches", stats.ready.size);
  put("batches in the window", "batches", stats.window.batches);
  put("memory of the window", "B", stats.window.bytes.value);
  put("active workers", "", stats.active_workers);
  for (const DeviceUse& device : stats.devices) {
    put(fmt::format("memory of {}", device.name), "B", device.memory.value);
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
    Track& events = track("events", rank::kEvents);
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
