// Is one way to run faster than another? From runs of both in turns, A B A B ..., so that a machine
// that changes meanwhile changes both. Says why not where the figures do not carry a ratio. Pure.
#pragma once

#include <optional>
#include <span>

#include "diagnose/run_comparison.h"

namespace qanat {

// One run of one way, and the company it had.
struct Turn {
  double rate = 0;                       // frames or steps per second
  double idle_share = 0;                 // of the step time in which the device did not work
  int device_cores = 1;                  // that the model device computes on; a GPU: 1
  std::optional<double> others_share{};  // of the cores, taken by other programs; absent: unknown
};

// An interval of fewer rounds says nothing.
inline constexpr std::size_t kMinRounds = 3;
// A round in which other programs took more of the cores does not count.
inline constexpr double kMaxOthersShare = 0.1;
// How much faster or slower the device's own work may be in one way than in the other. More is not
// the way's doing: it changes how the device is fed, not what it computes.
inline constexpr double kMaxWorkChange = 1.25;

// `now` over `before`: the mean ratio of the rounds and its 95 % interval, from how much rounds
// differ and what other programs took in them. Element i of both belongs to round i. Withheld with
// the reason when too few rounds count, or when the idle time of the device cannot explain the
// ratio.
RunComparison compare_turns(std::span<const Turn> now, std::span<const Turn> before);

}  // namespace qanat
