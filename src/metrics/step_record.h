// One step of a training run as the journal keeps it: what was trained on, what came out, and
// where the time went. Values; reports and diagnosis read them back without libtorch.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/time.h"

namespace qanat {

// The time breakdown of a step: the parts add up to the time from the end of the step before to
// the end of this one, as the model device saw it.
struct StepPhases {
  Seconds wait{0};      // the device was idle because no batch was ready
  Seconds transfer{0};  // the device was idle because the batch was still on its way
  Seconds forward{0};   // aligner and durations included
  Seconds loss{0};
  Seconds backward{0};
  Seconds retry{0};       // done again in smaller parts after running out of memory
  Seconds optimizer{0};   // clipping and the EMA included
  Seconds checkpoint{0};  // the device waited for logging, or copied what is saved
  Seconds residual{0};    // none of the above

  Seconds total() const {
    return wait + transfer + forward + loss + backward + retry + optimizer + checkpoint + residual;
  }
  // Time in which the model device worked on the step itself.
  Seconds busy() const { return forward + loss + backward + retry + optimizer; }
  StepPhases& operator+=(const StepPhases& other);
  bool operator==(const StepPhases&) const = default;

  static void visit_fields(auto& self, auto&& field) { visit_phases(self, field); }
};

// Calls `visit(name, seconds)` for every part, in the order of the breakdown.
template <typename Phases, typename Visitor>
void visit_phases(Phases& phases, Visitor&& visit) {
  visit(std::string_view("wait"), phases.wait);
  visit(std::string_view("transfer"), phases.transfer);
  visit(std::string_view("forward"), phases.forward);
  visit(std::string_view("loss"), phases.loss);
  visit(std::string_view("backward"), phases.backward);
  visit(std::string_view("retry"), phases.retry);
  visit(std::string_view("optimizer"), phases.optimizer);
  visit(std::string_view("checkpoint"), phases.checkpoint);
  visit(std::string_view("residual"), phases.residual);
}

// Of the rows of an update, each weighted with its frames; nats, but for the duration.
struct StepLosses {
  double total = 0;  // weighted sum, as it is minimised
  double mel = 0;
  double postnet_mel = 0;
  double prior = 0;
  double forward_sum = 0;
  double binarisation = 0;
  double duration = 0;

  StepLosses& operator+=(const StepLosses& other);
  bool operator==(const StepLosses&) const = default;

  static void visit_fields(auto& self, auto&& field) { visit_losses(self, field); }
};

// Calls `visit(name, value)` for the total and every part.
template <typename Losses, typename Visitor>
void visit_losses(Losses& losses, Visitor&& visit) {
  visit("total", losses.total);
  visit("mel", losses.mel);
  visit("refined", losses.postnet_mel);
  visit("prior", losses.prior);
  visit("forward_sum", losses.forward_sum);
  visit("binarisation", losses.binarisation);
  visit("duration", losses.duration);
}

struct StepRecord {
  std::int64_t step = 0;  // updates before this one
  std::int64_t epoch = 0;
  std::int64_t batch = 0;  // inside the epoch; the last one of the update
  int batches = 1;         // that made the update
  // The padded shape of that last batch, and the frames of all batches that are no padding.
  int rows = 0;
  int padded_frames = 0;
  int tokens = 0;
  std::int64_t frames = 0;
  std::optional<std::int64_t> padded{};  // frames of all batches, padding included
  StepLosses losses;
  double learning_rate = 0;  // not a number: unknown, as of other trainers
  double gradient_norm = 0;  // before clipping
  bool skipped = false;      // loss or gradient were not finite: no update was made
  StepPhases phases;

  // Where only the last batch's shape is known, it stands for all.
  std::int64_t all_padded() const {
    return padded.value_or(static_cast<std::int64_t>(batches) * rows * padded_frames);
  }

  bool operator==(const StepRecord&) const = default;

  static constexpr std::string_view kKind = "step";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("epoch", self.epoch)("batch", self.batch)("batches", self.batches);
    field("shape", std::tie(self.rows, self.padded_frames, self.tokens))("frames", self.frames);
    field("padded", self.padded)("losses", self.losses)("lr", self.learning_rate);
    field("grad_norm", self.gradient_norm)("skipped", self.skipped);
    field("wall", self.phases.total())("phases", self.phases);
  }
};

}  // namespace qanat
