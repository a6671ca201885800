// Sentences spoken by a checkpoint, in the other program (cli/torch_part.h): measuring speech needs
// no libtorch, making it does.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "evaluate/evaluation.h"

namespace qanat {

struct NamedText {
  std::string name;  // of the clip, without extension
  std::string text;
  LanguageTag language{};  // "und": whatever its script says
};

struct SpeakRequest {
  std::string checkpoint;
  std::vector<std::string> flags;  // of `qanat synth`: how to speak
  std::vector<NamedText> texts;
  std::filesystem::path folder;  // for the clips
  std::stop_token stop;
};

// Nothing when stopped. Throws Error when the other program is not there, or could not speak; it
// has said why on standard error.
std::optional<SpokenBy> speak_texts(const SpeakRequest& request);

}  // namespace qanat
