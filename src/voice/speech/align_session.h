// Which part of each recording of a data set is which symbol, by the aligner of a trained model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/language.h"
#include "base/progress.h"
#include "speech/chosen_checkpoint.h"

namespace qanat {

struct AlignRequest {
  CheckpointChoice checkpoint;
  std::filesystem::path data;
  std::optional<LanguageTag> language;  // of rows that do not say
  // Gets <id>.json and <id>.TextGrid of every utterance, each whole or not at all.
  std::filesystem::path out;
  std::function<void(const Message&)> warn;
  ProgressFn progress;
  std::stop_token stop;
};

struct AlignFailure {
  std::string id;
  std::string file;
  MessageArg reason;
};

struct AlignReport {
  std::int64_t step = 0;
  std::filesystem::path checkpoint;
  std::filesystem::path out;
  std::int64_t utterances = 0;  // of the data set
  std::int64_t aligned = 0;
  double audio_s = 0.0;
  double work_s = 0.0;
  std::vector<AlignFailure> failures;
  bool stopped = false;
};

nlohmann::json to_json(const AlignReport& report);

// An utterance that cannot be read or aligned is a failure of its own. Throws Error when the data
// set or the checkpoint cannot be used, or the disk refuses.
AlignReport run_alignment(const AlignRequest& request);

}  // namespace qanat
