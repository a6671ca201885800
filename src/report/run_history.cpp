#include "report/run_history.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "metrics/journal.h"
#include "metrics/journal_line.h"
#include "metrics/slot_line.h"

namespace qanat {
namespace {

std::string text_of(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_of(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end() || !found->is_number()) {
    return std::nullopt;
  }
  return found->get<double>();
}

const nlohmann::json& child_of(const nlohmann::json& line, const char* name) {
  static const nlohmann::json kNothing = nlohmann::json::object();
  const auto found = line.find(name);
  return found != line.end() && found->is_object() ? *found : kNothing;
}

void add_finite(EnvelopeSeries& series, double x, double y) {
  if (std::isfinite(y)) {
    series.add(x, Envelope::of(y));
  }
}

void add_known(EnvelopeSeries& series, double x, const std::optional<double>& y) {
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

// In words, for kinds that are worth a line on a page.
std::optional<std::string> describe_event(const std::string& kind, const nlohmann::json& line) {
  if (kind == "autotune") {
    std::string words;
    for (const char* what : {"workers", "window", "slots"}) {
      const std::string name = what;
      const auto now = number_of(line, what);
      const auto before = number_of(line, (name + "_before").c_str());
      if (now && before && *now != *before) {
        words += fmt::format("{}{} {} -> {}: {}",
                             words.empty() ? "" : "; ",
                             name,
                             *before,
                             *now,
                             text_of(line, (name + "_reason").c_str()));
      }
    }
    return words.empty() ? std::nullopt : std::optional(words);
  }
  for (const char* known : {"resumed", "out_of_memory", "skipped_step", "damaged_checkpoint"}) {
    if (kind == known) {
      nlohmann::json rest = line;
      rest.erase("kind");
      rest.erase("t");
      return rest.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
  }
  return std::nullopt;
}

}  // namespace

PhaseSums to_sums(const StepPhases& phases) {
  PhaseSums sums;
  std::size_t at = 0;
  visit_phases(phases,
               [&](std::string_view, Seconds part) { sums.values.at(at++) = part.count(); });
  return sums;
}

void RunHistory::add(const nlohmann::json& line) {
  const std::string kind = text_of(line, "kind");
  if (kind == "journal") {
    if (sessions == 0 || !continues_another(line)) {
      begin_session(line);
    }
    return;
  }
  last_time = std::max(last_time, number_of(line, "t").value_or(0));
  if (kind == "step") {
    if (const Result<StepRecord> step = to_step_record(line)) {
      add_step(step.value());
    }
  } else if (kind == "slot") {
    add_slot(line);
  } else if (kind == "pipeline") {
    add_pipeline(line);
  } else if (kind == "devices") {
    add_devices(line);
    add_gpu_samples(line);
  } else if (kind == "validation") {
    const auto step = number_of(line, "step");
    const auto score = number_of(line, "score");
    if (step && score && validations.size() < kMostValidations) {
      validations.push_back({.step = static_cast<std::int64_t>(*step),
                             .loss = *score,
                             .best = line.value("best", nlohmann::json()) == true});
    }
  } else if (kind == "render") {
    add_render(line);
  } else if (kind == "sweep") {
    sweep = line;
  } else if (kind == "ended") {
    ended = true;
  } else {
    add_event(line);
  }
}

// What was measured before happened under other conditions; what was learnt goes on.
void RunHistory::begin_session(const nlohmann::json& line) {
  RunHistory next;
  next.header = line;
  next.sessions = sessions + 1;
  next.loss = std::move(loss);
  next.loss_parts = std::move(loss_parts);
  next.learning_rate = std::move(learning_rate);
  next.gradient_norm = std::move(gradient_norm);
  next.validations = std::move(validations);
  next.renders = std::move(renders);
  if (const auto steps = number_of(child_of(child_of(line, "config"), "training"), "max_steps")) {
    next.planned_steps = static_cast<std::int64_t>(*steps);
  }
  *this = std::move(next);
}

void RunHistory::add_step(const StepRecord& step) {
  if (num_steps++ == 0) {
    first_step = step.step;
    // A session that went back to the beginning learns something else.
    if (!loss.empty() && static_cast<double>(step.step) < loss.bins().back().last) {
      loss = learning_rate = gradient_norm = {};
      loss_parts.clear();
      validations.clear();
      renders.clear();
    }
  }
  last_step = step.step;
  const auto x = static_cast<double>(step.step);
  step_seconds.add(x, Envelope::of(step.phases.total().count()));
  phases.add(x, to_sums(step.phases));
  add_losses(step);
  if (!lengths.contains(step.padded_frames) && lengths.size() >= kMostLengths) {
    join_nearest(lengths);
  }
  LengthBin& bin = lengths[step.padded_frames];
  bin.batches += step.batches;
  bin.frames += step.frames;
  bin.padded += step.all_padded();
  newest = step;
}

void RunHistory::add_losses(const StepRecord& step) {
  const auto x = static_cast<double>(step.step);
  visit_losses(step.losses, [&](const char* name, double value) {
    add_finite(std::string_view(name) == "total" ? loss : loss_parts[name], x, value);
  });
  add_finite(learning_rate, x, step.learning_rate);
  add_finite(gradient_norm, x, step.gradient_norm);
}

void RunHistory::add_pipeline(const nlohmann::json& line) {
  const double time = number_of(line, "t").value_or(last_time);
  const nlohmann::json& buffer = child_of(line, "ready");
  add_known(ready, time, number_of(buffer, "size"));
  ready_capacity = number_of(buffer, "capacity");
  add_known(window, time, number_of(child_of(line, "window"), "batches"));
  add_known(workers, time, number_of(line, "active_workers"));
  add_devices(line);
}

// Devices as a list of objects: what a pipeline's line and a line of kind "devices" have in common.
// Busy time that only grows is turned into shares.
void RunHistory::add_devices(const nlohmann::json& line) {
  const auto listed = line.find("devices");
  if (listed == line.end() || !listed->is_array()) {
    return;
  }
  const double time = number_of(line, "t").value_or(last_time);
  for (const nlohmann::json& device : *listed) {
    const std::string name = device.is_object() ? text_of(device, "name") : std::string();
    if (name.empty() || (!devices.contains(name) && devices.size() >= kMostDevices)) {
      continue;
    }
    DeviceHistory& history = devices[name];
    add_known(history.memory, time, number_of(device, "memory"));
    if (const auto limit = number_of(device, "memory_limit")) {
      history.limit = limit;
    }
    if (const auto busy = number_of(device, "busy")) {
      history.add_busy(time, *busy);
    }
  }
}

void DeviceHistory::add_busy(double time, double seconds) {
  if (busy_before_ && time > time_before_ && seconds >= *busy_before_) {
    busy.add(time, Envelope::of(std::min(1.0, (seconds - *busy_before_) / (time - time_before_))));
  }
  busy_before_ = seconds;
  time_before_ = time;
}

// What the driver says of GPUs: a list in their order, whose names came before.
void RunHistory::add_gpu_samples(const nlohmann::json& line) {
  const auto named = child_of(line, "setup").find("gpus");
  if (named != child_of(line, "setup").end() && named->is_array()) {
    gpu_names_.clear();
    gpu_memory_.clear();
    for (const nlohmann::json& gpu : *named) {
      gpu_names_.push_back(gpu.is_object() ? text_of(gpu, "name") : std::string());
      gpu_memory_.push_back(gpu.is_object() ? number_of(gpu, "memory") : std::nullopt);
    }
  }
  const auto samples = line.find("samples");
  if (samples == line.end() || !samples->is_array()) {
    return;
  }
  const double time = number_of(line, "t").value_or(last_time);
  for (std::size_t i = 0; i < std::min(samples->size(), kMostDevices); ++i) {
    const nlohmann::json& sample = (*samples)[i];
    if (!sample.is_object()) {
      continue;
    }
    DeviceHistory& history = devices[fmt::format("GPU {}{}{}",
                                                 i,
                                                 i < gpu_names_.size() ? " " : "",
                                                 i < gpu_names_.size() ? gpu_names_[i] : "")];
    add_known(history.busy, time, number_of(sample, "kernels_resident"));
    add_known(history.memory, time, number_of(sample, "memory_used"));
    add_known(history.clock, time, number_of(sample, "clock"));
    history.limit = i < gpu_memory_.size() ? gpu_memory_[i] : std::nullopt;
  }
}

void RunHistory::add_slot(const nlohmann::json& line) {
  SlotUse use{.slot = static_cast<int>(number_of(line, "slot").value_or(0)),
              .epoch = static_cast<std::int64_t>(number_of(line, "epoch").value_or(0)),
              .batch = static_cast<std::int64_t>(number_of(line, "batch").value_or(0)),
              .spans = {}};
  for (const char* what : {"load", "stage", "prepare", "copy", "train"}) {
    if (const auto time = stage_time(line, what)) {
      use.spans.push_back({.what = what, .begin = time->begin, .end = time->end});
    }
  }
  if (use.spans.empty()) {
    return;
  }
  slots.push_back(std::move(use));
  if (slots.size() > kMostSlots) {
    slots.pop_front();
  }
}

// Only what can be a folder of renders is linked to, whatever the journal says.
void RunHistory::add_render(const nlohmann::json& line) {
  const auto listed = line.find("sentences");
  const std::string folder = std::filesystem::path(text_of(line, "folder")).filename().string();
  const bool is_named = folder.starts_with("step-") && folder.size() <= 32 &&
                        folder.find_first_not_of("0123456789", 5) == std::string::npos;
  if (listed == line.end() || !listed->is_array() || !is_named) {
    return;
  }
  RenderPoint point{.step = static_cast<std::int64_t>(number_of(line, "step").value_or(0)),
                    .folder = folder,
                    .sentences = {},
                    .axis = {}};
  for (const nlohmann::json& one : *listed) {
    const double seconds = one.is_object() ? number_of(one, "seconds").value_or(0) : 0;
    if (seconds > 0 && point.sentences.size() < kMaxSentences) {
      point.sentences.push_back({.text = text_of(one, "text"), .seconds = seconds});
    }
  }
  if (const auto axis = line.find("axis"); axis != line.end() && axis->is_array()) {
    for (const nlohmann::json& mark : *axis) {
      if (mark.is_object() && point.axis.size() < kMaxSentences) {
        point.axis.push_back(
            {.hz = number_of(mark, "hz").value_or(0), .at = number_of(mark, "at").value_or(0)});
      }
    }
  }
  if (renders.size() >= kMaxRenders) {
    renders.erase(renders.begin() + 1);
  }
  renders.push_back(std::move(point));
}

void RunHistory::add_event(const nlohmann::json& line) {
  const std::string kind = text_of(line, "kind");
  const auto words = describe_event(kind, line);
  if (words && events.size() < kMostEvents) {
    events.push_back(
        {.time = number_of(line, "t").value_or(last_time), .kind = kind, .what = *words});
  }
}

void RunRecord::add(const nlohmann::json& line) {
  const std::string kind = text_of(line, "kind");
  if (kind == "journal" && !continues_another(line) && !trace.steps.empty()) {
    RunRecord ended;
    ended.trace = trace;
    ended.history = history;
    before_.assign(1, std::move(ended));
  }
  trace.add(line);
  history.add(line);
  if (kind == "ended") {
    finish();
  } else if (!before_.empty() && !trace.steps.empty()) {
    before_.clear();
  }
}

void RunRecord::finish() {
  if (before_.empty() || !trace.steps.empty()) {
    return;
  }
  RunRecord last = std::move(before_.front());
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
                                  const ProgressFn& progress) {
  constexpr std::int64_t kToldEvery = 1000;
  const std::int64_t total = progress ? about_lines(journal) : 0;
  std::int64_t lines = 0;
  RunRecord record;
  const Result<int> damaged = visit_journal(journal, [&](const nlohmann::json& line) {
    record.add(line);
    if (++lines % kToldEvery == 0 && progress) {
      progress(lines, std::max(total, lines));
    }
  });
  if (!damaged) {
    return damaged.failure();
  }
  record.finish();
  record.trace.damaged_lines += damaged.value();
  if (record.trace.steps.empty() && !record.history.sweep) {
    return Failure{no_step_in(journal)};
  }
  return record;
}

}  // namespace qanat
