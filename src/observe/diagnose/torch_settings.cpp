#include "diagnose/torch_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnose/rule_parts.h"
#include "diagnose/wait_cause.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

// The arguments of the DataLoader, as the line of kind "run" has them.
const nlohmann::json& loader_settings(const RunSummary& summary) {
  static const nlohmann::json none = nlohmann::json::object();
  return summary.run.loader && summary.run.loader->is_object() ? *summary.run.loader : none;
}

bool is_off(const RunSummary& summary, const char* setting) {
  const nlohmann::json& settings = loader_settings(summary);
  const auto found = settings.find(setting);
  return found != settings.end() && *found == false;
}

int workers_of(const RuleInput& input) {
  return input.measures.loader ? input.measures.loader->workers : 0;
}

Fix setting(const char* name, std::string value, const Fix& fix) {
  return {.key = name,
          .value = std::move(value),
          .predicted_step = fix.predicted_step,
          .trained_by = TrainedBy::torch};
}

// As many workers as make a batch in the time of a step, where nothing was loaded ahead.
Fix first_workers(const RuleInput& input, const Fix& fix) {
  const RunMeasures& m = input.measures;
  const double own = m.mean_step - m.breakdown.wait.count();
  const double needed = own > 0 && m.loader ? std::ceil(m.loader->work_per_batch / own) : 1;
  const int most = std::max(1, allowed_cores_of(input.summary).value_or(1));
  return setting(
      "num_workers", std::to_string(static_cast<int>(std::clamp<double>(needed, 1, most))), fix);
}

// Batches ahead are the workers times prefetch_factor.
Fix deeper_window(const RuleInput& input, const Finding& finding, const Fix& fix) {
  const int workers = workers_of(input);
  if (workers == 0) {
    return first_workers(input, fix);
  }
  if (finding.id == "DL010" && is_off(input.summary, "persistent_workers")) {
    return setting("persistent_workers", "True", fix);
  }
  const int window = std::atoi(fix.value.c_str());
  return setting("prefetch_factor", std::to_string((window + workers - 1) / workers), fix);
}

std::optional<Fix> to_torch(const RuleInput& input, const Finding& finding, const Fix& fix) {
  const auto action = [&fix](Message what) { return do_this(std::move(what), fix.predicted_step); };
  if (!fix.is_setting()) {
    return fix;
  }
  if (fix.trained_by == TrainedBy::torch) {
    return fix;
  }
  if (fix.key == "data.num_workers") {
    return setting("num_workers", fix.value, fix);
  }
  if (fix.key == "data.pipeline_buffer_size") {
    return deeper_window(input, finding, fix);
  }
  if (fix.key == "data.batch_size") {
    return setting("batch_size", fix.value, fix);
  }
  if (fix.key == "data.enhanced_gpu_prefetch") {
    return setting("pin_memory", "True", fix);
  }
  if (fix.key == "data.prefetch_to_gpu") {
    return action(msg::torch_copy_ahead{});
  }
  if (fix.key == "data.preprocessing_mode") {
    return action(msg::torch_precompute{});
  }
  if (fix.key == "pipeline.bucket_edges") {
    return action(msg::torch_bucket{});
  }
  if (fix.key == "pipeline.feature_cache") {
    return action(msg::torch_less_memory{});
  }
  if (fix.key == "training.save_every") {
    return action(msg::torch_save_rarely{});
  }
  if (fix.key == "training.gradient_accumulation_steps") {
    return action(msg::torch_accumulate{.batches = fix.value});
  }
  return std::nullopt;
}

}  // namespace

void say_in_torch_settings(const RuleInput& input, Finding& finding) {
  std::vector<Fix> fixes;
  for (const Fix& fix : finding.fixes) {
    if (std::optional<Fix> said = to_torch(input, finding, fix)) {
      fixes.push_back(*std::move(said));
    }
  }
  finding.fixes = std::move(fixes);
  finding.verify = msg::verify_rerun{};
}

}  // namespace qanat
