// Alignments as Praat shows them: tiers of labelled intervals.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace qanat {

struct GridInterval {
  double begin = 0.0;  // s
  double end = 0.0;
  std::string label;  // UTF-8

  bool operator==(const GridInterval&) const = default;
};

// The intervals follow one another without gap, from 0 on.
struct GridTier {
  std::string name;
  std::vector<GridInterval> intervals;
};

// A TextGrid file in Praat's long text format. All tiers end at `end`.
std::string to_text_grid(const std::vector<GridTier>& tiers, double end);

// When each token of an utterance is heard, and when each word. Pure functions.
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
