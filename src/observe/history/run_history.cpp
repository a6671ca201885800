#include "history/run_history.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "diagnose/run_measures.h"
#include "locale/message_error.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

void add_finite(EnvelopeSeries& series, double x, double y) {
  if (std::isfinite(y)) {
    series.add(x, Envelope::of(y));
  }
}

void add_known(EnvelopeSeries& series, double x, const Reading<double>& y) {
  if (y) {
    add_finite(series, x, *y);
  }
}

// Joins the two neighbours that are nearest, so that there is room for another length.
void join_nearest(std::map<int, LengthBin>& lengths) {
  auto nearest = lengths.begin();
  for (auto at = lengths.begin(); std::next(at) != lengths.end(); ++at) {
    if (std::next(at)->first - at->first < std::next(nearest)->first - nearest->first) {
      nearest = at;
    }
  }
  const LengthBin shorter = nearest->second;
  LengthBin& longer = std::next(nearest)->second;
  longer.batches += shorter.batches;
  longer.frames += shorter.frames;
  longer.padded += shorter.padded;
  lengths.erase(nearest);
}

// What an autotuner changed, and why; empty: nothing.
std::string describe_change(const AutotuneChange& change) {
  std::string words;
  const auto add = [&words](const char* name,
                            const std::optional<int>& now,
                            const std::optional<int>& before,
                            const std::optional<std::string>& reason) {
    if (now && before && *now != *before) {
      words += fmt::format(
          "{}{} {} -> {}: {}", words.empty() ? "" : "; ", name, *before, *now, reason.value_or(""));
    }
  };
  add("workers", change.workers, change.workers_before, change.workers_reason);
  add("window", change.window, change.window_before, change.window_reason);
  add("slots", change.slots, change.slots_before, change.slots_reason);
  return words;
}

}  // namespace

void RunHistory::add(const JournalEntry& entry) {
  if (const auto* const start = std::get_if<SessionStart>(&entry.event)) {
    if (!start->continues || (sessions == 0 && !start->recap)) {
      begin_session(*start);
    }
    return;
  }
  last_time = std::max(last_time, entry.at.value_or(Seconds{0}).count());
  const double time = entry.at ? entry.at->count() : last_time;
  std::visit(OnEvent{[this](const StepRecord& step) { add_step(step); },
                     [this](const PastSteps& past) { add_past(past); },
                     [this](const SlotRecord& slot) { add_slot(slot); },
                     [&](const PipelineStats& stats) { add_pipeline(stats, time); },
                     [&](const GpuSamples& samples) { add_gpu_samples(samples, time); },
                     [this](const ValidationDone& done) { add_validation(done); },
                     [this](const EvaluationRendered& render) { add_render(render); },
                     [this](const SweepDone& done) { sweep = done.fields; },
                     [&](const auto&) { add_event(entry.event, time); }},
             entry.event);
}

bool is_recording_name(std::string_view file) {
  constexpr std::string_view kBegin = "recording-";
  constexpr std::string_view kEnd = ".wav";
  constexpr std::size_t kDigits = 16;
  return file.size() == kBegin.size() + kDigits + kEnd.size() && file.starts_with(kBegin) &&
         file.ends_with(kEnd) &&
         file.substr(kBegin.size(), kDigits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
}

// What was measured before happened under other conditions; what was learnt stays.
void RunHistory::begin_session(const SessionStart& start) {
  RunHistory next;
  next.header = start;
  next.sessions = sessions + sessions_after + 1;
  next.take_learnt(*this);
  *this = std::move(next);
}

void RunHistory::take_learnt(RunHistory& from) {
  loss = std::move(from.loss);
  loss_parts = std::move(from.loss_parts);
  learning_rate = std::move(from.learning_rate);
  gradient_norm = std::move(from.gradient_norm);
  validations = std::move(from.validations);
  renders = std::move(from.renders);
}

// A session may go back, to an earlier checkpoint or to the beginning: what was learnt from there
// on is learnt again.
void RunHistory::go_back_to(std::int64_t step) {
  const auto x = static_cast<double>(step);
  if (loss.empty() || x > loss.bins().back().last) {
    return;
  }
  for (EnvelopeSeries* const series : {&loss, &learning_rate, &gradient_norm}) {
    series->forget_from(x);
  }
  for (auto& [name, series] : loss_parts) {
    series.forget_from(x);
  }
  const auto is_later = [step](const auto& point) { return point.step > step; };
  std::erase_if(validations, is_later);
  std::erase_if(renders, is_later);
}

// Steps of an earlier session that a recap has come before the header of this one.
void RunHistory::add_past(const PastSteps& past) {
  if (num_steps == 0) {
    go_back_to(past.first);
  }
  num_steps += past.count;
  last_step = past.last;
  const auto first = static_cast<double>(past.first);
  const auto last = static_cast<double>(past.last);
  const auto add = [&](EnvelopeSeries& series, const ValueRange& range) {
    if (range.count > 0 && std::isfinite(range.sum)) {
      series.add({.first = first,
                  .last = last,
                  .count = range.count,
                  .content = {.low = range.low, .high = range.high, .sum = range.sum}});
    }
  };
  add(loss, past.loss);
  add(gradient_norm, past.norm);
  add(step_seconds, past.wall);
  phases.add({.first = first, .last = last, .count = past.count, .content = past.phases});
  const auto add_all = [&](EnvelopeSeries& series, double mean, std::int64_t count) {
    add(series,
        {.count = std::isfinite(mean) ? count : 0,
         .low = mean,
         .high = mean,
         .sum = mean * static_cast<double>(count)});
  };
  add_all(learning_rate, past.learning_rate, past.count);
  visit_losses(past.losses, [&](std::string_view name, double sum) {
    if (name != "total") {
      add_all(loss_parts[std::string(name)],
              sum / static_cast<double>(past.loss.count),
              past.loss.count);
    }
  });
}

void RunHistory::add_step(const StepRecord& step) {
  if (num_steps++ == 0) {
    go_back_to(step.step);
  }
  last_step = step.step;
  const auto x = static_cast<double>(step.step);
  step_seconds.add(x, Envelope::of(step.phases.total().count()));
  phases.add(x, step.phases);
  add_losses(step);
  if (!lengths.contains(step.padded_frames) && lengths.size() >= kMaxLengths) {
    join_nearest(lengths);
  }
  LengthBin& bin = lengths[step.padded_frames];
  bin.batches += step.batches;
  bin.frames += step.frames;
  bin.padded += step.all_padded();
  for (auto& [name, device] : devices) {
    device.add_step();
  }
  newest = step;
}

// Journals that hold no loss have it as the score. Of very many, those that were not the best so
// far are thinned out.
void RunHistory::add_validation(const ValidationDone& done) {
  const bool is_of_vocoder = done.result.losses.is_of_vocoder();
  ValidationPoint point{.step = done.step, .best = done.best};
  if (!is_of_vocoder) {
    point.loss = done.loss ? done.loss : done.score;
  }
  if (done.loss || is_of_vocoder) {
    point.score = done.score;
  }
  if (!point.loss && !point.score) {
    return;
  }
  validations.push_back(point);
  if (validations.size() <= kMaxValidations) {
    return;
  }
  const bool all = std::ranges::count(validations, true, &ValidationPoint::best) >
                   static_cast<std::ptrdiff_t>(kMaxValidations / 2);
  std::vector<ValidationPoint> kept;
  for (std::size_t i = 0; i < validations.size(); ++i) {
    if (i % 2 == 0 || (validations[i].best && !all)) {
      kept.push_back(validations[i]);
    }
  }
  validations = std::move(kept);
}

void RunHistory::add_losses(const StepRecord& step) {
  const auto x = static_cast<double>(step.step);
  visit_losses(step.losses, [&](const char* name, double value) {
    add_finite(std::string_view(name) == "total" ? loss : loss_parts[name], x, value);
  });
  add_finite(learning_rate, x, step.learning_rate);
  add_finite(gradient_norm, x, step.gradient_norm);
}

void RunHistory::add_pipeline(const PipelineStats& stats, double time) {
  add_finite(ready, time, static_cast<double>(stats.ready.size));
  add_finite(ready_limit, time, static_cast<double>(stats.ready.capacity));
  for (const DeviceUse& device : stats.devices) {
    if (device.name.empty() || (!devices.contains(device.name) && devices.size() >= kMaxDevices)) {
      continue;
    }
    DeviceHistory& history = devices[device.name];
    add_finite(history.memory, time, static_cast<double>(device.memory.value));
    if (device.memory_limit) {
      history.limit = static_cast<double>(device.memory_limit->value);
    }
    history.add_busy(time, device.busy.count());
  }
}

void DeviceHistory::add_busy(double time, double seconds) {
  latest_ = {.at = time, .seconds = seconds};
}

// Busy time that only grows is turned into shares.
void DeviceHistory::add_step() {
  if (!latest_) {
    return;
  }
  if (counted_ && latest_->at > counted_->at && latest_->seconds >= counted_->seconds) {
    const double share = (latest_->seconds - counted_->seconds) / (latest_->at - counted_->at);
    busy.add(latest_->at, Envelope::of(std::min(1.0, share)));
  }
  counted_ = std::exchange(latest_, std::nullopt);
}

// What the driver says of GPUs: a list in their order, whose names came before.
void RunHistory::add_gpu_samples(const GpuSamples& seen, double time) {
  if (seen.setup) {
    const Result<GpuSetup> setup = to_gpu_setup(*seen.setup);
    gpus_ = setup ? setup.value().gpus : std::vector<GpuFacts>();
  }
  const Result<std::vector<GpuSample>> read =
      to_gpu_samples(seen.samples.value_or(nlohmann::json::array()));
  const std::vector<GpuSample> samples = read ? read.value() : std::vector<GpuSample>();
  for (std::size_t i = 0; i < std::min(samples.size(), kMaxDevices); ++i) {
    const GpuFacts* const facts = i < gpus_.size() ? &gpus_[i] : nullptr;
    DeviceHistory& history =
        devices[facts == nullptr ? fmt::format("GPU {}", i)
                                 : fmt::format("GPU {} {}", i, facts->name.value().value_or(""))];
    add_known(history.busy, time, samples[i].kernels_resident);
    add_known(history.memory, time, samples[i].memory_used);
    add_known(history.clock, time, samples[i].clock);
    history.limit = facts == nullptr ? std::nullopt : facts->memory.value();
  }
}

void RunHistory::add_slot(const SlotRecord& slot) {
  bool has_stages = false;
  SlotRecord::visit_stages(slot, [&](const char*, const auto& stage) { has_stages |= !!stage; });
  if (!has_stages) {
    return;
  }
  slots.push_back(slot);
  if (slots.size() > kMaxSlots) {
    slots.pop_front();
  }
}

// Only what can be a folder of renders is linked to, whatever the journal says.
void RunHistory::add_render(const EvaluationRendered& render) {
  const std::string folder = std::filesystem::path(render.folder).filename().string();
  const bool is_named = folder.starts_with("step-") && folder.size() <= 32 &&
                        folder.find_first_not_of("0123456789", 5) == std::string::npos;
  if (!is_named) {
    return;
  }
  RenderPoint point{.step = render.step,
                    .folder = folder,
                    .vocoder = render.vocoder,
                    .sentences = render.sentences,
                    .axis = render.axis};
  for (EvaluationRendered::Sentence& sentence : point.sentences) {
    sentence.symbols.resize(std::min(sentence.symbols.size(), kMaxSymbols));
    if (sentence.recording && !is_recording_name(*sentence.recording)) {
      sentence.recording.reset();
    }
  }
  std::erase_if(point.sentences, [](const auto& sentence) { return !(sentence.seconds > 0); });
  point.sentences.resize(std::min(point.sentences.size(), kMaxSentences));
  point.axis.resize(std::min(point.axis.size(), kMaxSentences));
  if (renders.size() >= kMaxRenders) {
    renders.erase(renders.begin() + 1);
  }
  renders.push_back(std::move(point));
}

// In words, for kinds that are worth a line on a page.
void RunHistory::add_event(const JournalEvent& event, double time) {
  std::string words;
  if (const auto* const change = std::get_if<AutotuneChange>(&event)) {
    words = describe_change(*change);
  } else if (is_one_of<Resumed, OutOfMemoryRetry, SkippedStep, DamagedCheckpoint>(event)) {
    words = to_fields(event).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  if (!words.empty() && events.size() < kMaxEvents) {
    events.push_back({.time = time, .kind = std::string(kind_of(event)), .what = std::move(words)});
  }
}

namespace {

bool has_enough_steps(const RunSummary& summary) {
  return summary.steps.size() >= kMinSteps && measure_run(summary).steady.size() >= kMinSteps;
}

}  // namespace

// A session that has too few steps itself does not take the place of one that has enough.
void RunRecord::keep_ended() {
  if (!gives_way || summary.steps.empty() || (!before_.empty() && !has_enough_steps(summary))) {
    return;
  }
  RunRecord ended;
  ended.summary = summary;
  ended.history = history;
  before_.clear();
  before_.push_back(std::move(ended));
}

void RunRecord::add(const JournalEntry& entry) {
  constexpr std::size_t kMany = 50 * kMinSteps;  // whatever of them is warm-up
  const auto* const header = std::get_if<SessionStart>(&entry.event);
  if (header != nullptr && !header->continues) {
    keep_ended();
  }
  summary.add(entry);
  history.add(entry);
  if (std::holds_alternative<RunEnd>(entry.event)) {
    finish();
  } else if (!before_.empty() && summary.steps.size() >= kMany) {
    before_.clear();
  }
}

void RunRecord::finish() {
  if (before_.empty() || has_enough_steps(summary) ||
      (!summary.steps.empty() && !has_enough_steps(before_.front().summary))) {
    return;
  }
  RunRecord last = std::move(before_.front());
  last.history.take_learnt(history);
  last.history.sessions_after = history.sessions - last.history.sessions;
  *this = std::move(last);
}

std::filesystem::path journal_of(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? path / "journal.jsonl" : path;
}

namespace {

// How many lines a journal has, by those at its beginning.
std::int64_t about_lines(const std::filesystem::path& journal) {
  constexpr std::streamsize kLookedAt = 1 << 18;
  std::ifstream file(journal, std::ios::binary);
  std::string head(kLookedAt, '\0');
  file.read(head.data(), kLookedAt);
  head.resize(static_cast<std::size_t>(file.gcount()));
  std::uintmax_t size = 0;
  for (const std::filesystem::path& part : {journal, journal_before(journal)}) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(part, missing);
    size += missing ? 0 : bytes;
  }
  const auto lines = static_cast<double>(std::ranges::count(head, '\n'));
  return head.empty()
             ? 0
             : std::llround(lines * static_cast<double>(size) / static_cast<double>(head.size()));
}

}  // namespace

Result<RunRecord> read_run_record(const std::filesystem::path& journal,
                                  const ProgressFn& progress,
                                  const VisitEntry& also,
                                  const std::stop_token& stop,
                                  std::optional<int> session) {
  constexpr std::int64_t kToldEvery = 1000;
  const std::int64_t total = progress ? about_lines(journal) : 0;
  std::int64_t lines = 0;
  RunRecord record;
  record.gives_way = !session;
  int later = 0;  // sessions behind the one that is asked for
  const auto visit = [&](const JournalEntry& entry) {
    const auto* const header = std::get_if<SessionStart>(&entry.event);
    const bool is_start = header != nullptr && !header->continues;
    later += is_start && session == record.history.sessions ? 1 : 0;
    if (later == 0) {
      record.add(entry);
    }
    if (also && later == 0) {
      also(entry);
    }
    if (++lines % kToldEvery == 0 && progress) {
      progress(lines, std::max(total, lines));
    }
  };
  const Result<int> damaged = visit_journal(journal, visit, {.stop = stop});
  if (!damaged) {
    return damaged.failure();
  }
  if (progress && !stop.stop_requested()) {
    progress(lines, lines);  // the total was an estimate
  }
  record.finish();
  record.history.sessions_after += later;
  record.summary.damaged_lines += damaged.value();
  if (record.history.sessions_after == 0) {  // of the other ranks the last session is read
    set_other_ranks(record.summary, read_other_ranks(journal, record.summary.run, stop));
  }
  if (session && (record.history.sessions != *session || record.summary.steps.empty())) {
    return to_failure(msg::journal_no_session{.path = journal.string(),
                                              .session = *session,
                                              .sessions = record.history.sessions + later});
  }
  if (record.summary.steps.empty() && !record.history.sweep) {
    return no_step_in(journal);
  }
  return record;
}

}  // namespace qanat
