#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace qanat {
namespace {

struct SizeDefaults {
  double peak;
  std::int64_t warmup;
};

SizeDefaults defaults(ModelSize size) {
  switch (size) {
    case ModelSize::nano:
      return {.peak = 2e-3, .warmup = 40};
    case ModelSize::tiny:
      return {.peak = 1e-3, .warmup = 1000};
    case ModelSize::small:
      return {.peak = 7e-4, .warmup = 2000};
    case ModelSize::normal:
      return {.peak = 5e-4, .warmup = 4000};
    case ModelSize::big:
      return {.peak = 3e-4, .warmup = 4000};
  }
  return {.peak = 1e-3, .warmup = 1000};
}

SizeDefaults vocoder_defaults(ModelSize size) {
  switch (size) {
    case ModelSize::nano:
      return {.peak = 2e-3, .warmup = 100};
    case ModelSize::tiny:
      return {.peak = 1e-3, .warmup = 500};
    case ModelSize::small:
      return {.peak = 5e-4, .warmup = 1000};
    case ModelSize::normal:
    case ModelSize::big:
      return {.peak = 2e-4, .warmup = 1000};
  }
  return {.peak = 5e-4, .warmup = 1000};
}

}  // namespace

double Schedule::learning_rate(std::int64_t step) const {
  if (step < warmup) {
    return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  const Anchor top = anchor.value_or(Anchor{.step = warmup, .rate = peak});
  const double lowest = anchor ? std::min(1.0, floor * peak / top.rate) : floor;
  const auto length = static_cast<double>(std::max<std::int64_t>(1, total - top.step));
  const double done = std::clamp(static_cast<double>(step - top.step) / length, 0.0, 1.0);
  return top.rate * (lowest + (1 - lowest) * 0.5 * (1 + std::cos(std::numbers::pi * done)));
}

Schedule make_schedule(const ScheduleRequest& request) {
  const SizeDefaults by_size = request.task == TrainingTask::vocoder
                                   ? vocoder_defaults(request.size)
                                   : defaults(request.size);
  const std::int64_t tenth = std::max<std::int64_t>(1, request.total / 10);
  return {.peak = request.learning_rate.value_or(by_size.peak),
          .warmup = request.warmup.value_or(std::min(by_size.warmup, tenth)),
          .total = request.total};
}

Schedule continue_schedule(const Schedule& stored, std::int64_t total, std::int64_t step) {
  Schedule schedule = stored;
  schedule.total = total;
  if (total != stored.total && step > stored.warmup) {
    schedule.anchor = {.step = step, .rate = stored.learning_rate(step)};
  }
  return schedule;
}

nlohmann::json to_json(const Schedule& schedule) {
  nlohmann::json json{{"peak", schedule.peak},
                      {"warmup", schedule.warmup},
                      {"total", schedule.total},
                      {"floor", schedule.floor}};
  if (schedule.anchor) {
    json["anchor"] = {{"step", schedule.anchor->step}, {"rate", schedule.anchor->rate}};
  }
  return json;
}

Result<Schedule> to_schedule(const nlohmann::json& json) {
  Schedule schedule;
  try {
    schedule = {.peak = json.at("peak").get<double>(),
                .warmup = json.at("warmup").get<std::int64_t>(),
                .total = json.at("total").get<std::int64_t>(),
                .floor = json.at("floor").get<double>()};
    if (const auto anchor = json.find("anchor"); anchor != json.end()) {
      schedule.anchor = {.step = anchor->at("step").get<std::int64_t>(),
                         .rate = anchor->at("rate").get<double>()};
    }
  } catch (const nlohmann::json::exception& error) {
    return Failure{fmt::format("schedule of the run: {}", error.what())};
  }
  const bool is_anchored_well = !schedule.anchor || schedule.anchor->rate > 0;
  if (!(schedule.peak > 0) || schedule.warmup < 0 || schedule.total < 0 || !is_anchored_well) {
    return Failure{"schedule of the run: a rate or a number of steps below 0"};
  }
  return schedule;
}

std::int64_t default_binarisation_start(ModelSize size) {
  return defaults(size).warmup * 3 / 2;
}

}  // namespace qanat
