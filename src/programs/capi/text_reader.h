// The text front end for callers from other languages: symbols, and what becomes of a sentence.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "text/text_front_end.h"

namespace qanat {

// Thread-safe.
class TextReader {
 public:
  // Settings are the section `data` of a configuration, as JSON. Throws Error with every problem,
  // and when phonemes are asked for and espeak-ng cannot be run.
  explicit TextReader(std::string_view settings);

  // {"text": normalised, "phonemes": text or null, "tokens": [ids], "unknown": {symbol: times},
  // "language": tag}. An empty language: by the script of the text. Throws MisuseError for a
  // language that is not known, and for a text of which nothing is left to be read.
  nlohmann::json read(std::string_view text, std::string_view language) const;
  // ["[pad]", ...], by id.
  nlohmann::json symbols() const;

 private:
  const TextFrontEnd front_end_;
};

}  // namespace qanat
