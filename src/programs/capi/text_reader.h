// The text front end for callers from other languages: symbols, and what becomes of a sentence.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "text/text_front_end.h"

namespace qanat {

// Thread-safe.
class TextReader {
 public:
  // Settings are the section `data` of a configuration, as JSON. Throws Error with every problem,
  // and when phonemes are asked for and espeak-ng cannot be run.
  explicit TextReader(std::string_view settings);
  // Reads as `front_end` does, which has learnt what it will.
  explicit TextReader(std::shared_ptr<const TextFrontEnd> front_end)
      : front_end_(std::move(front_end)) {}

  // {"text": normalised, "phonemes": text or null, "tokens": [ids], "unknown": {symbol: times},
  // "language": tag}. An empty language: by the script of the text. Throws MisuseError for a
  // language that is not known, and for a text of which nothing is left to be read.
  nlohmann::json read(std::string_view text, std::string_view language) const;
  // ["[pad]", ...], by id.
  nlohmann::json symbols() const;

 private:
  const std::shared_ptr<const TextFrontEnd> front_end_;  // shared with a loader
};

}  // namespace qanat
