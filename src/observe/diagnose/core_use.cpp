#include "diagnose/core_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace qanat {
namespace {

constexpr std::string_view kLoader = "load";
constexpr std::size_t kMinSamples = 3;  // before a moment, about then and after it

// Threads that the device's work runs on or is launched from. Those that libtorch starts carry the
// name of the one that asked for them.
bool is_trainer(std::string_view name) {
  constexpr std::array kNames = {"train", "model", "paced", "durations", "qanat", "qanat-torch"};
  const std::string_view stem = name.substr(0, name.find('/'));
  return std::ranges::find(kNames, stem) != kNames.end() || name.starts_with("pt_autograd");
}

double waited(const std::vector<ThreadClock>& threads, ThreadRole role) {
  double seconds = 0;
  for (const ThreadClock& clock : threads) {
    const bool is_meant =
        role == ThreadRole::trainer ? is_trainer(clock.name) : clock.name == kLoader;
    seconds += is_meant ? clock.waiting : 0;
  }
  return seconds;
}

struct WaitedAtStep {
  double step = 0;
  double seconds = 0;
};

// Between samples, in a straight line. Nothing outside of them.
std::optional<double> waited_until(const std::vector<WaitedAtStep>& course, double step) {
  const auto after = std::ranges::lower_bound(course, step, {}, &WaitedAtStep::step);
  if (after == course.end()) {
    return std::nullopt;
  }
  if (after->step == step) {
    return after->seconds;
  }
  if (after == course.begin()) {
    return std::nullopt;
  }
  const WaitedAtStep& before = *std::prev(after);
  const double part = (step - before.step) / (after->step - before.step);
  return std::lerp(before.seconds, after->seconds, part);
}

}  // namespace

Reading<CoreUse> core_use(const HostSummary& host) {
  const Reading<std::vector<ThreadClock>> threads = host.threads();
  if (!threads) {
    return Reading<CoreUse>::none(threads.why_not());
  }
  const double seconds = host.seconds();
  CoreUse use;
  for (const ThreadClock& clock : *threads) {
    use.wanted += (clock.running + clock.waiting) / seconds;
    if (clock.name == kLoader) {
      use.loaders += clock.threads;
      use.loader_ran += clock.running;
      use.loader_waited += clock.waiting;
      use.loader_queued += clock.waiting / seconds;
    }
    if (is_trainer(clock.name)) {
      const int shared = std::max(1, clock.threads);
      const double each = std::clamp(clock.waiting / (seconds * shared), 0.0, 1.0);
      use.trainer_free *= std::pow(1 - each, shared);
      use.trainer_free_range.high = std::min(use.trainer_free_range.high, 1 - each);
      use.trainer_free_range.low = std::max(0.0, use.trainer_free_range.low - shared * each);
      use.trainer_alone = std::max(use.trainer_alone, clock.running / (seconds * shared));
      use.trainer_ran += clock.running;
      use.trainer_waited += clock.waiting;
    }
  }
  use.trainers = static_cast<int>(std::lround((use.trainer_ran + use.trainer_waited) / seconds));
  return use;
}

std::optional<double> growth_of_delay(const HostSummary& host,
                                      ThreadRole role,
                                      const StepsAround& steps) {
  std::vector<WaitedAtStep> course;
  for (const ThreadsAtStep& sample : host.course) {
    const auto step = static_cast<double>(sample.steps);
    if (sample.threads && (course.empty() || step > course.back().step)) {
      course.push_back({.step = step, .seconds = waited(*sample.threads, role)});
    }
  }
  if (course.size() < kMinSamples) {
    return std::nullopt;
  }
  const double begin = std::max(static_cast<double>(steps.begin), course.front().step);
  const auto moment = static_cast<double>(steps.moment);
  const double end = course.back().step;
  const std::optional<double> first = waited_until(course, begin);
  const std::optional<double> middle = waited_until(course, moment);
  if (!first || !middle || moment <= begin || moment >= end) {
    return std::nullopt;
  }
  return (course.back().seconds - *middle) / (end - moment) - (*middle - *first) / (moment - begin);
}

}  // namespace qanat
