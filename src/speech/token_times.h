// When each token of an utterance is heard, and when each word. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "speech/text_grid.h"
#include "text/tokenizer.h"

namespace qanat {

struct TokenTimes {
  std::span<const TokenId> tokens;
  std::span<const std::int64_t> frames;  // of each token
  double frame_s = 0.0;                  // seconds a frame lasts
};

// One interval per token, labelled with its symbol.
std::vector<GridInterval> token_intervals(const TokenTimes& times, const Tokenizer& tokenizer);

// One interval per word, and one with an empty label for everything between words: silences, tags,
// spaces, marks.
std::vector<GridInterval> word_intervals(const TokenTimes& times, const Tokenizer& tokenizer);

}  // namespace qanat
