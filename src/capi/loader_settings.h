// What a caller from another language asks of a loader, as JSON:
//
//   {"config": {"data": {...}, "pipeline": {...}, "training": {...}}, sections of a configuration
//    "part": "all" | "train" | "validation", "payload": "mel" | "audio", "rank": 0, "world": 1,
//    "mel": "hifigan" | {"preset": "hifigan", "hop": 256, ...}, "consumer_threads": 0}
//
// Absent keys have their defaults; unknown ones are errors.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "batch/batch.h"
#include "config/run_config.h"
#include "features/mel_config.h"

namespace qanat {

// Which utterances of a data set.
enum class SetPart { all, train, validation };

struct LoaderSettings {
  RunConfig config{};
  SetPart part = SetPart::all;
  PayloadKind payload = PayloadKind::mel_f32;
  MelConfig mel{};
  int rank = 0;
  int world = 1;
  int consumer_threads = 0;  // cores left to whoever takes the batches
};

// Throws Error with every problem.
LoaderSettings parse_settings(std::string_view text);

// As "mel" is written in settings.
nlohmann::json to_json(const MelConfig& mel);

}  // namespace qanat
