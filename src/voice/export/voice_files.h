// What lies beside the network so that others can use it: Piper's JSON, sherpa-onnx's symbols and
// metadata. Pure functions; no libtorch.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "export/voice_symbols.h"
#include "features/mel_config.h"

namespace qanat {

struct ExportedFacts {
  std::string name;  // of the file, without its ending
  std::string size;  // of the model, as a preset is called
  VoiceText text;
  std::vector<std::string> speakers;  // by id; one: not asked for
  MelConfig mel;
};

nlohmann::ordered_json piper_json(const ExportedFacts& facts, const VoiceSymbols& symbols);
// A symbol and its id per line; the space is a line with its id only.
std::string sherpa_tokens(const VoiceSymbols& symbols);
std::vector<std::pair<std::string, std::string>> sherpa_metadata(const ExportedFacts& facts);

}  // namespace qanat
