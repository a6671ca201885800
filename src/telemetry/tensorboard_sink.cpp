#include "telemetry/tensorboard_sink.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace qanat {
namespace {

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::int64_t step_in(const Event& event) {
  const auto step = event.fields.find("step");
  return step != event.fields.end() && step->is_number_integer() ? step->get<std::int64_t>() : 0;
}

// Every number below `object`, by its path: {"losses": {"mel": 1}} is losses/mel.
void collect_numbers(const nlohmann::json& object,
                     const std::string& prefix,
                     std::vector<TagValue>& into) {
  for (const auto& [name, value] : object.items()) {
    const std::string tag = prefix + "/" + name;
    if (value.is_object()) {
      collect_numbers(value, tag, into);
    } else if (value.is_number()) {
      into.emplace_back(tag, value.get<double>());
    }
  }
}

bool is_kept(const std::string& kind) {
  return kind == "step" || kind == "validation" || kind == "render" || kind == "verdict" ||
         kind == "resumed" || kind == "run";
}

}  // namespace

TensorBoardScribe::TensorBoardScribe(const std::filesystem::path& folder)
    : wall_now_(wall_clock()), file_(folder, wall_now_) {}

BoardTime TensorBoardScribe::time_of(const TimedEvent& timed, std::int64_t step) const {
  return {.step = step, .wall = wall_now_ + Seconds(timed.at - steady_now_).count()};
}

void TensorBoardScribe::take(const TimedEvent& timed) {
  const std::string& kind = timed.event.kind;
  if (kind == "step") {
    add_step(timed);
  } else if (kind == "validation") {
    put_validation(timed);
  } else if (kind == "render") {
    put_render(timed);
  } else if (kind == "verdict") {
    put_verdict(timed);
  } else if (kind == "resumed") {
    first_step_ = step_in(timed.event);
  } else if (kind == "run") {
    start(timed);
  }
}

void TensorBoardScribe::start(const TimedEvent& timed) {
  const auto last = timed.event.fields.find("last_step");
  if (last != timed.event.fields.end() && last->is_number_integer()) {
    const std::int64_t to_come = last->get<std::int64_t>() - first_step_;
    steps_per_point_ = std::max<std::int64_t>(1, (to_come + kMostPoints - 1) / kMostPoints);
  }
  newest_step_ = first_step_;
  file_.put_session_start(time_of(timed, first_step_));
}

void TensorBoardScribe::add_step(const TimedEvent& timed) {
  nlohmann::json line = timed.event.fields;
  line["kind"] = "step";
  const Result<StepRecord> read = to_step_record(line);
  if (!read) {
    return;
  }
  const StepRecord& step = read.value();
  newest_step_ = step.step;
  ++point_.steps;
  point_.skipped += step.skipped ? 1 : 0;
  point_.frames += step.frames;
  point_.losses += step.losses;
  point_.gradient_norm += step.gradient_norm;
  point_.phases += step.phases;
  if (point_.steps >= steps_per_point_) {
    put_point(time_of(timed, step.step), step);
    point_ = Point{};
  }
}

void TensorBoardScribe::put_point(const BoardTime& time, const StepRecord& newest) {
  const auto steps = static_cast<double>(point_.steps);
  std::vector<TagValue> values{{"train/learning_rate", newest.learning_rate},
                               {"train/gradient_norm", point_.gradient_norm / steps},
                               {"train/skipped_steps", static_cast<double>(point_.skipped)}};
  visit_losses(point_.losses, [&](const char* name, double sum) {
    values.emplace_back(fmt::format("loss/{}", name), sum / steps);
  });
  visit_phases(point_.phases, [&](std::string_view name, Seconds sum) {
    values.emplace_back(fmt::format("step_ms/{}", name), 1e3 * sum.count() / steps);
  });
  const double total = point_.phases.total().count();
  values.emplace_back("step_ms/total", 1e3 * total / steps);
  if (total > 0) {
    const Seconds waited = point_.phases.wait + point_.phases.transfer;
    values.emplace_back("speed/steps_per_second", steps / total);
    values.emplace_back("speed/frames_per_second", static_cast<double>(point_.frames) / total);
    values.emplace_back("speed/wait_share", waited.count() / total);
  }
  file_.put_scalars(time, values);
}

void TensorBoardScribe::put_validation(const TimedEvent& timed) {
  std::vector<TagValue> values;
  collect_numbers(timed.event.fields, "validation", values);
  std::erase_if(values, [](const TagValue& value) { return value.first == "validation/step"; });
  file_.put_scalars(time_of(timed, step_in(timed.event)), values);
}

// A folder of sentence-1.wav, sentence-1.png, ...; what is not there is left out.
void TensorBoardScribe::put_render(const TimedEvent& timed) {
  const auto folder = timed.event.fields.find("folder");
  if (folder == timed.event.fields.end() || !folder->is_string()) {
    return;
  }
  const BoardTime time = time_of(timed, step_in(timed.event));
  for (int number = 1;; ++number) {
    const std::string tag = fmt::format("evaluation/sentence-{}", number);
    const std::filesystem::path stem =
        std::filesystem::path(folder->get<std::string>()) / fmt::format("sentence-{}", number);
    const Result<std::string> wav = read_text_file(stem.string() + ".wav", mebibytes(64));
    const Result<std::string> png = read_text_file(stem.string() + ".png", mebibytes(64));
    if (!wav && !png) {
      return;
    }
    if (wav) {
      file_.put_wav(time, tag, wav.value());
    }
    if (png) {
      file_.put_png(time, tag, png.value());
    }
  }
}

void TensorBoardScribe::put_verdict(const TimedEvent& timed) {
  const auto text = timed.event.fields.find("text");
  if (text != timed.event.fields.end() && text->is_string()) {
    file_.put_markdown(time_of(timed, newest_step_), "verdict", text->get<std::string>());
  }
}

TensorBoardSink::TensorBoardSink(const std::filesystem::path& folder)
    : scribe_(folder),
      queue_("tensorboard",
             kCapacity,
             {.take = [this](const TimedEvent& timed) { scribe_.take(timed); },
              .idle = [this] { scribe_.flush(); }}) {}

void TensorBoardSink::record(const Event& event) {
  if (is_kept(event.kind)) {
    queue_.offer({.event = event});
  }
}

std::optional<std::string> TensorBoardSink::finish() {
  queue_.finish();
  if (const std::optional<std::string> failure = queue_.failure()) {
    return fmt::format("TensorBoard got nothing any more: {}", *failure);
  }
  if (queue_.dropped() > 0) {
    return fmt::format("{}: {} events came faster than they could be written and are missing",
                       scribe_.path().string(),
                       queue_.dropped());
  }
  return std::nullopt;
}

}  // namespace qanat
