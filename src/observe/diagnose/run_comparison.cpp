#include "diagnose/run_comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "diagnose/intervals.h"

namespace qanat {
namespace {

// What the steps got done: frames, or what is known instead of them.
using Work = double (*)(const StepRecord&);

double frames_of(const StepRecord& step) {
  return static_cast<double>(step.frames);
}
double rows_of(const StepRecord& step) {
  return static_cast<double>(step.rows) * step.batches;
}
double steps_of(const StepRecord&) {
  return 1;
}

std::vector<double> work_of(const RunMeasures& measures, Work work) {
  std::vector<double> done;
  done.reserve(measures.steady.size());
  for (const StepRecord& step : measures.steady) {
    done.push_back(work(step));
  }
  return done;
}

// That both runs know. Other trainers need not say how long their batches are.
Work common_work(const RunMeasures& now, const RunMeasures& before) {
  for (const Work work : {frames_of, rows_of}) {
    if (mean(work_of(now, work)) > 0 && mean(work_of(before, work)) > 0) {
      return work;
    }
  }
  return steps_of;
}

struct Rate {
  double value = 0;      // per second
  double deviation = 0;  // of its logarithm
};

Rate rate_of(const RunMeasures& measures, Work work) {
  const std::vector<double> done = work_of(measures, work);
  const Range interval = ratio_interval(done, measures.seconds);
  const double value = mean(done) / mean(measures.seconds);
  return {.value = value, .deviation = (interval.high - interval.low) / (2 * 1.96) / value};
}

constexpr const char* kBatches = "batches of an epoch";

// Settings and facts by their names, as they are written.
std::map<std::string, std::string> facts_of(const RunSummary& summary) {
  constexpr std::array kIrrelevant = {"data.cache_dir",
                                      "data.feature_dir",
                                      "data.store_cache_dir",
                                      "training.checkpoint_dir",
                                      "training.epochs",
                                      "training.max_steps",
                                      "training.name",
                                      "training.reset_training",
                                      "training.resume",
                                      "training.seed",
                                      "training.tensorboard_dir"};
  std::map<std::string, std::string> facts;
  const auto add = [&facts](const std::string& name, const nlohmann::json& value) {
    facts[name] = value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& [section, keys] : summary.config.items()) {
    for (const auto& [key, value] : keys.items()) {
      const std::string name = fmt::format("{}.{}", section, key);
      if (std::ranges::find(kIrrelevant, name) == kIrrelevant.end()) {
        add(name, value);
      }
    }
  }
  const nlohmann::json run = to_fields(summary.run);
  for (const char* name : {"mode", "device", "allowed_cores"}) {
    if (const auto found = run.find(name); found != run.end()) {
      add(name, *found);
    }
  }
  if (summary.run.loader) {
    for (const auto& [name, value] : summary.run.loader->items()) {
      add("loader." + name, value);
    }
  }
  const auto cadence = std::ranges::find(summary.cadences, kBatches, &Cadence::name);
  if (cadence != summary.cadences.end()) {
    add(kBatches, cadence->period);
  }
  return facts;
}

}  // namespace

bool Difference::is_of_data() const {
  return key == "data.train_data" || key == kBatches;
}

std::vector<Difference> differences(const RunSummary& now, const RunSummary& before) {
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
    return one.key == "data.batch_size" || one.key == "loader.batch_size" ||
           one.key == "pipeline.frame_budget" || one.key == "pipeline.bucket_edges" ||
           one.key == "data.val_split";
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
  const Work work = common_work(now, before);
  const Rate rate_now = rate_of(now, work);
  const Rate rate_before = rate_of(before, work);
  RunComparison result{.ratio = rate_now.value / rate_before.value};
  const double deviation = std::hypot(rate_now.deviation, rate_before.deviation);
  result.ci95 = {.low = result.ratio * std::exp(-1.96 * deviation),
                 .high = result.ratio * std::exp(1.96 * deviation)};
  result.change = change_of(result.ci95);
  result.spread = compare_spread(now.adjusted, before.adjusted);
  return result;
}

}  // namespace qanat
