#include "diagnose/run_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "diagnose/intervals.h"

namespace qanat {
namespace {

// Deviation of the logarithm of frames per second.
double uncertainty(const RunMeasures& measures) {
  std::vector<double> frames;
  frames.reserve(measures.steady.size());
  for (const StepRecord& step : measures.steady) {
    frames.push_back(static_cast<double>(step.frames));
  }
  const Range rate = ratio_interval(frames, measures.seconds);
  return (rate.high - rate.low) / (2 * 1.96) / measures.frames_per_second;
}

constexpr const char* kBatches = "batches of an epoch";

// Settings and facts by their names, as they are written.
std::map<std::string, std::string> facts_of(const RunTrace& trace) {
  constexpr std::array kIrrelevant = {"data.cache_dir",
                                      "data.feature_dir",
                                      "training.checkpoint_dir",
                                      "training.epochs",
                                      "training.max_steps",
                                      "training.reset_training",
                                      "training.resume",
                                      "training.seed",
                                      "training.tensorboard_dir"};
  std::map<std::string, std::string> facts;
  const auto add = [&facts](const std::string& name, const nlohmann::json& value) {
    facts[name] = value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& [section, keys] : trace.config.items()) {
    for (const auto& [key, value] : keys.items()) {
      const std::string name = section + "." + key;
      if (std::ranges::find(kIrrelevant, name) == kIrrelevant.end()) {
        add(name, value);
      }
    }
  }
  const nlohmann::json run = to_fields(trace.run);
  for (const char* name : {"mode", "device", "allowed_cores"}) {
    if (const auto found = run.find(name); found != run.end()) {
      add(name, *found);
    }
  }
  const auto cadence = std::ranges::find(trace.cadences, kBatches, &Cadence::name);
  if (cadence != trace.cadences.end()) {
    add(kBatches, cadence->period);
  }
  return facts;
}

}  // namespace

bool Difference::is_of_data() const {
  return key == "data.train_data" || key == kBatches;
}

std::vector<Difference> differences(const RunTrace& now, const RunTrace& before) {
  const std::map<std::string, std::string> old = facts_of(before);
  std::vector<Difference> found;
  for (const auto& [name, value] : facts_of(now)) {
    // What only one of the journals says is a matter of their age.
    if (const auto other = old.find(name); other != old.end() && other->second != value) {
      found.push_back({.key = name, .now = value, .before = other->second});
    }
  }
  // Batches of another size are fewer: that says nothing about the clips.
  const auto is_about_size = [](const Difference& one) {
    return one.key == "data.batch_size" || one.key == "pipeline.frame_budget" ||
           one.key == "pipeline.bucket_edges" || one.key == "data.val_split";
  };
  if (std::ranges::any_of(found, is_about_size)) {
    std::erase_if(found, [](const Difference& one) { return one.key == kBatches; });
  }
  return found;
}

Change change_of(const Range& ci95) {
  if (ci95.high < 1 - kTolerance) {
    return Change::slower;
  }
  return ci95.low > 1 + kTolerance ? Change::faster : Change::none;
}

RunComparison compare_runs(const RunMeasures& now, const RunMeasures& before) {
  RunComparison result{.ratio = now.frames_per_second / before.frames_per_second};
  const double deviation = std::hypot(uncertainty(now), uncertainty(before));
  result.ci95 = {.low = result.ratio * std::exp(-1.96 * deviation),
                 .high = result.ratio * std::exp(1.96 * deviation)};
  result.change = change_of(result.ci95);
  result.spread = compare_spread(now.adjusted, before.adjusted);
  return result;
}

}  // namespace qanat
