// What a caller from another language asks of a loader, as JSON:
//
//   {"config": {"data": {...}, "pipeline": {...}, "training": {...}}, sections of a configuration
//    "part": "all" | "train" | "validation", "payload": "mel" | "audio" | "both",
//    "text": "tokens" | "kept" | "none", "rank": 0, "world": 1, "last": "kept" | "dropped",
//    "balance": "none" | "speakers", "speaker_weights": {"anna": 2, ...},
//    "mel": "hifigan" | {"preset": "hifigan", "hop": 256, ...}, "consumer_threads": 0,
//    "rows_root": folder}
//
// "rows_root" is for rows that are handed over (qanat_loader_open_rows): names of files begin
// there, and lengths are remembered as those of a data set there; without it names begin in the
// working folder, and lengths are remembered only where data.cache_dir says so.
//
// Absent keys have their defaults; unknown ones are errors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "batch/batch.h"
#include "batch/batch_plan.h"
#include "config/run_config.h"
#include "dataset/text_use.h"
#include "features/mel_config.h"

namespace qanat {

// Which utterances of a data set.
enum class SetPart { all, train, validation };

// What a batch carries of the sound.
enum class BatchSound { mel, audio, both };

// Which utterances have equal shares of an epoch.
enum class Balance { none, speakers };

struct LoaderSettings {
  RunConfig config{};
  SetPart part = SetPart::all;
  BatchSound sound = BatchSound::mel;
  TextUse text = TextUse::tokens;
  LastBatch last = LastBatch::kept;
  Balance balance = Balance::none;
  std::map<std::string, double> speaker_weights{};  // of those not named: 1
  std::optional<std::string> rows_root{};
  MelConfig mel{};
  int rank = 0;
  int world = 1;
  int consumer_threads = 0;  // cores left to whoever takes the batches

  PayloadKind payload() const {
    return sound == BatchSound::mel ? PayloadKind::mel_f32 : PayloadKind::pcm_s16;
  }
};

// Throws Error with every problem.
LoaderSettings parse_settings(std::string_view text);

// As "mel" is written in settings.
nlohmann::json to_json(const MelConfig& mel);

}  // namespace qanat
