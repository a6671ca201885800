#include "telemetry/tensorboard_sink.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/files.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Every number below `object`, by its path: {"losses": {"mel": 1}} is losses/mel.
void collect_numbers(const nlohmann::json& object,
                     const std::string& prefix,
                     std::vector<TagValue>& into) {
  for (const auto& [name, value] : object.items()) {
    const std::string tag = fmt::format("{}/{}", prefix, name);
    if (value.is_object()) {
      collect_numbers(value, tag, into);
    } else if (value.is_number()) {
      into.emplace_back(tag, value.get<double>());
    }
  }
}

}  // namespace

TensorBoardWriter::TensorBoardWriter(const std::filesystem::path& folder)
    : wall_now_(wall_clock()), file_(folder, wall_now_) {}

BoardTime TensorBoardWriter::time_of(const TimedEvent& timed, std::int64_t step) const {
  return {.step = step, .wall = wall_now_ + Seconds(timed.at - steady_now_).count()};
}

void TensorBoardWriter::take(const TimedEvent& timed) {
  std::visit(OnEvent{[&](const StepRecord& step) { add_step(step, timed); },
                     [&](const ValidationDone& done) { put_validation(done, timed); },
                     [&](const EvaluationRendered& render) { put_render(render, timed); },
                     [&](const VerdictGiven& verdict) {
                       if (verdict.text) {
                         file_.put_markdown(time_of(timed, newest_step_), "verdict", *verdict.text);
                       }
                     },
                     [&](const Resumed& resumed) { first_step_ = resumed.step; },
                     [&](const RunStart& run) { start(run, timed); },
                     [](const auto&) {}},
             timed.event);
}

void TensorBoardWriter::start(const RunStart& run, const TimedEvent& timed) {
  if (run.last_step) {
    const std::int64_t to_come = *run.last_step - first_step_;
    steps_per_point_ = std::max<std::int64_t>(1, (to_come + kMaxPoints - 1) / kMaxPoints);
  }
  newest_step_ = first_step_;
  file_.put_session_start(time_of(timed, first_step_));
}

void TensorBoardWriter::add_step(const StepRecord& step, const TimedEvent& timed) {
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

void TensorBoardWriter::put_point(const BoardTime& time, const StepRecord& newest) {
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

void TensorBoardWriter::put_validation(const ValidationDone& done, const TimedEvent& timed) {
  std::vector<TagValue> values;
  collect_numbers(to_fields(done), "validation", values);
  std::erase_if(values, [](const TagValue& value) { return value.first == "validation/step"; });
  file_.put_scalars(time_of(timed, done.step), values);
}

// A folder of sentence-1.wav, sentence-1.png, ...; what is not there is left out.
void TensorBoardWriter::put_render(const EvaluationRendered& render, const TimedEvent& timed) {
  const BoardTime time = time_of(timed, render.step);
  for (int number = 1;; ++number) {
    const std::string tag = fmt::format("evaluation/sentence-{}", number);
    const std::filesystem::path stem =
        std::filesystem::path(render.folder) / fmt::format("sentence-{}", number);
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

TensorBoardSink::TensorBoardSink(const std::filesystem::path& folder)
    : writer_(folder),
      queue_("tensorboard",
             kCapacity,
             {.take = [this](const TimedEvent& timed) { writer_.take(timed); },
              .idle = [this] { writer_.flush(); }}) {}

void TensorBoardSink::record(const JournalEvent& event) {
  if (is_one_of<StepRecord, ValidationDone, EvaluationRendered, VerdictGiven, Resumed, RunStart>(
          event)) {
    queue_.offer({.event = event});
  }
}

std::optional<Message> TensorBoardSink::finish() {
  queue_.finish();
  if (const std::optional<MessageArg> failure = queue_.failure()) {
    return msg::tensorboard_ended{.reason = *failure};
  }
  if (queue_.dropped() > 0) {
    return msg::tensorboard_events_missing{.count = queue_.dropped(),
                                           .file = writer_.path().string()};
  }
  return std::nullopt;
}

}  // namespace qanat
