// Everything that can be measured about a data set and its training, one part after the other,
// written into one folder as it is finished.
//
//   report.txt, report.json, report.html, run.yaml, index.txt, journals/
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/message.h"
#include "base/progress.h"
#include "base/time.h"
#include "config/load_config.h"
#include "diagnose/finding.h"
#include "locale/translator.h"

namespace qanat {

enum class PartStatus { done, failed, cut_short, missing };
std::string_view to_string(PartStatus status);

struct AnalysisPart {
  std::string name;  // "machine", "data", "step", "loader", "sweep", "dual"
  Message title;     // what it looks at
  PartStatus status = PartStatus::missing;
  std::optional<MessageArg> note{};  // why it is not done
  std::string text{};
  nlohmann::ordered_json json = nullptr;
  std::vector<Finding> findings{};
};

struct AnalysisRequest {
  LoadedConfig config;
  std::filesystem::path folder;
  Seconds budget{300};  // of all parts; each gets its share, and what earlier ones left over
  std::int64_t steps = 60;
  Translator words{};  // of report.txt and report.html
  SayFn say{};         // which part begins
  StartProgressFn progress{};
  std::stop_token stop{};
};

struct Analysis {
  std::vector<AnalysisPart> parts;

  bool is_complete() const;
};

// Always in this order; those that were not reached when it was stopped are missing. A part that
// fails does not stop the others. Throws Error, and leaves nothing behind, when there is no data
// set; throws Error when the folder cannot be written.
Analysis analyze(const AnalysisRequest& request);

}  // namespace qanat
