// What a fix would save, with the interval it lies in: the one place where a Gain is made, so that
// no rule can promise a value outside of its interval or a step that takes no time.
#pragma once

#include "diagnose/finding.h"

namespace qanat {

// Seconds of a step that would be gone.
struct Saving {
  double seconds = 0;
  Range range{};  // 95 %; is widened to hold the value
};

// Nothing gained (and no step time) when `step_now` is not positive.
Gain make_gain(double step_now, const Saving& saving, GainMethod method);

// The interval of a saving that is known to within a factor.
constexpr Saving saving_within(double seconds, double low, double high) {
  return {.seconds = seconds, .range = {.low = low * seconds, .high = high * seconds}};
}

// An interval that reaches from one gain to twice it says too little to be a headline.
bool is_sharp(const Gain& gain);

// s of a step by which gains are put in order: of one that is hardly known, what is sure of it. So
// a large gain is not behind a small one because it is known less well.
double seconds_that_count(const Gain& gain);

}  // namespace qanat
