#include "training/train_schedule.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "locale/messages/training.h"

namespace qanat {
namespace {

bool asks_for_another(const TrainingConfig& training, const Schedule& stored, const Schedule& now) {
  return training.reset_schedule || now.peak != stored.peak ||
         (training.warmup_steps && *training.warmup_steps != stored.warmup);
}

std::string rate(double value) {
  return fmt::format("{:.3g}", value);
}

}  // namespace

std::int64_t num_updates(const TrainingConfig& training, std::int64_t batches_per_epoch) {
  constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = training.max_steps.value_or(kEndless);
  const std::optional<std::int64_t> epochs = num_epochs(training);
  if (!epochs || *epochs > kEndless / (batches_per_epoch + 1)) {
    return most;
  }
  const std::int64_t per_update = training.gradient_accumulation_steps;
  return std::min(most, (batches_per_epoch * *epochs + per_update - 1) / per_update);
}

ScheduleChoice choose_schedule(const RunConfig& config,
                               const std::optional<Schedule>& stored,
                               std::int64_t total,
                               std::int64_t step) {
  const TrainingConfig& training = config.training;
  const Schedule now = make_schedule({.task = training.task,
                                      .size = config.model.size,
                                      .learning_rate = training.learning_rate,
                                      .warmup = training.warmup_steps,
                                      .total = total});
  if (!stored) {
    return {.schedule = now, .note = {}};
  }
  const double before = stored->learning_rate(step);
  if (asks_for_another(training, *stored, now)) {
    ScheduleChoice choice{.schedule = now, .note = {}};
    if (now.learning_rate(step) != before) {
      choice.note = msg::schedule_again{
          .rate = rate(now.learning_rate(step)), .before = rate(before), .step = step};
    }
    return choice;
  }
  if (total == stored->total) {
    return {.schedule = *stored, .note = {}};
  }
  const Schedule continued = continue_schedule(*stored, total, step);
  return {.schedule = continued,
          .note = msg::schedule_continued{.total = total,
                                          .before = stored->total,
                                          .rate = rate(before),
                                          .last = rate(continued.learning_rate(total)),
                                          .again = rate(now.learning_rate(step)),
                                          .step = step}};
}

}  // namespace qanat
