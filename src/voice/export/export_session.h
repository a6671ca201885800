// From a checkpoint and a vocoder to one file that other programs speak with. Without libtorch in
// the header: for commands.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/language_tag.h"
#include "base/message.h"
#include "base/quantity.h"
#include "export/graph_builder.h"
#include "locale/translator.h"
#include "speech/chosen_checkpoint.h"

namespace qanat {

// A recording whose voice becomes one of the speakers.
struct BakedVoice {
  std::filesystem::path file;
  std::string name;
};

struct ExportRequest {
  CheckpointChoice checkpoint;
  std::string vocoder{};  // see open_vocoder()
  std::filesystem::path out;
  std::vector<BakedVoice> voices;
  std::optional<LanguageTag> language;  // unset: those the model was trained on
  WeightType weights = WeightType::f32;
  std::string version;  // of this program
  Translator words{};   // of the model card
  std::function<void(const Message&)> warn;
};

struct ExportReport {
  std::int64_t step = 0;
  std::filesystem::path checkpoint;
  std::string vocoder;
  std::filesystem::path vocoder_folder;
  std::filesystem::path out;
  std::vector<std::filesystem::path> files;  // beside it
  std::vector<std::string> voices;           // by id
  std::vector<LanguageTag> languages;
  std::int64_t sample_rate = 0;
  std::int64_t bytes = 0;  // of the network
  WeightType weights = WeightType::f32;
  // With weights of sixteen bits: how far log-mel is from that of the exact ones, for a sentence.
  std::optional<double> mean_difference{};
  std::optional<double> max_difference{};
};

nlohmann::json to_json(const ExportReport& report);

// Everything is read and checked before the first file is written; files appear whole or not at
// all. Throws Error: no checkpoint, a damaged one, none of a speech model, no vocoder that can be
// written as a graph, an unreadable recording, a name that is taken.
ExportReport run_export(const ExportRequest& request);

}  // namespace qanat
