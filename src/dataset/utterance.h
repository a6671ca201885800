// One line of a manifest, found and checked. A value.
#pragma once

#include <cstdint>
#include <string>

#include "base/language.h"

namespace qanat {

// What the name of its manifest says an utterance is for.
enum class SplitHint : std::uint8_t {
  none,        // metadata.csv: decided by the hash of the id
  train,       // metadata_train.csv
  validation,  // metadata_eval.csv
};

struct Utterance {
  std::string id;       // unique in its set; the audio file's name without `wavs/` and extension
  std::string audio;    // relative to the root, or absolute where the manifest says so
  std::string text;     // the normalised column where there is one, else the raw one
  std::string speaker;  // empty: the manifest does not say
  Language language = Language::en;
  SplitHint split = SplitHint::none;
  std::uint8_t source = 0;  // which of the manifest's files
  int line = 0;             // 1 is the first line of that file

  bool operator==(const Utterance&) const = default;
};

}  // namespace qanat
