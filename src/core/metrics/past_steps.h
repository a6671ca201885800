// Steps that a long journal no longer has one by one: what is left of them, joined to one line.
// A value.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "metrics/step_record.h"

namespace qanat {

// Covers those values that were finite numbers.
struct ValueRange {
  std::int64_t count = 0;
  double low = 0;
  double high = 0;
  double sum = 0;

  static ValueRange of(double value);
  ValueRange& operator+=(const ValueRange& other);
  bool operator==(const ValueRange&) const = default;

  static auto items(auto& self) { return std::tie(self.count, self.low, self.high, self.sum); }
};

struct PastSteps {
  std::int64_t first = 0, last = 0;  // their numbers
  std::int64_t count = 0;
  std::int64_t frames = 0;
  std::int64_t skipped = 0;
  ValueRange loss{};         // the total
  StepLosses losses{};       // summed over the steps that `loss` counts
  ValueRange norm{};         // of the gradient
  ValueRange wall{};         // seconds
  StepPhases phases{};       // summed over all
  double learning_rate = 0;  // of the last; not a number: unknown

  static PastSteps of(const StepRecord& step);
  PastSteps& operator+=(const PastSteps& later);
  // What a run can have had.
  bool is_sane() const;
  bool operator==(const PastSteps&) const = default;

  static constexpr std::string_view kKind = "steps";
  static void visit_fields(auto& self, auto&& field) {
    field("first", self.first)("last", self.last)("count", self.count)("frames", self.frames);
    field.unless_zero("skipped", self.skipped);
    field("loss", self.loss)("losses", self.losses)("grad_norm", self.norm)("wall", self.wall);
    field("phases", self.phases)("lr", self.learning_rate);
  }
};

}  // namespace qanat
