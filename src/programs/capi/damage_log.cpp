#include "capi/damage_log.h"

#include "dataset/damage_share.h"
#include "locale/translator.h"

namespace qanat {

void DamageLog::add(const BadRow& bad) {
  const std::lock_guard lock(mutex_);
  const auto known = failed_.find(bad.item);
  if (known != failed_.end()) {
    ++known->second.times;
  } else if (failed_.size() < kMaxRows) {
    failed_.emplace(bad.item,
                    Failed{.file = bad.file,
                           .reason = Translator().said(bad.reason),
                           .epoch = bad.batch.epoch,
                           .times = 1});
  }
}

nlohmann::json DamageLog::failed(const UtteranceSet& set) const {
  nlohmann::json rows = nlohmann::json::array();
  const std::lock_guard lock(mutex_);
  for (const auto& [item, failed] : failed_) {
    const Utterance& utterance = set.manifest.utterances[item];
    rows.push_back({{"item", item},
                    {"id", utterance.id},
                    {"file", failed.file},
                    {"problem", to_string(ProblemKind::damaged_audio)},
                    {"reason", failed.reason},
                    {"row", utterance.line},
                    {"epoch", failed.epoch},
                    {"times", failed.times}});
  }
  return rows;
}

nlohmann::json left_out_rows(const Manifest& manifest) {
  nlohmann::json rows = nlohmann::json::array();
  for (const DatasetProblem& problem : manifest.problems) {
    if (severity_of(problem.kind) == Severity::error) {
      const std::string file =
          problem.audio.empty() ? "" : (manifest.root / problem.audio).string();
      rows.push_back({{"item", nullptr},
                      {"id", problem.id},
                      {"file", file},
                      {"problem", to_string(problem.kind)},
                      {"reason", Translator().said(problem.detail)},
                      {"row", problem.line},
                      {"damaged", is_damage(problem)}});
    }
  }
  return rows;
}

}  // namespace qanat
