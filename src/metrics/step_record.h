// One step of a training run as the journal keeps it: what was trained on, what came out, and
// where the time went. Values; reports and diagnosis read them back without libtorch.
#pragma once

#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/time.h"
#include "metrics/journal.h"

namespace qanat {

// The closed ledger of a step: the parts add up to the time from the end of the step before to
// the end of this one, as the model device saw it.
struct StepPhases {
  Seconds wait{0};      // the device was idle because no batch was ready
  Seconds transfer{0};  // the device was idle because the batch was still on its way
  Seconds forward{0};   // aligner and durations included
  Seconds loss{0};
  Seconds backward{0};
  Seconds retry{0};       // done again in smaller parts after running out of memory
  Seconds optimizer{0};   // clipping and the moving average included
  Seconds checkpoint{0};  // the device waited for logging, or copied what is saved
  Seconds residual{0};    // none of the above

  Seconds total() const {
    return wait + transfer + forward + loss + backward + retry + optimizer + checkpoint + residual;
  }
  // Time in which the model device worked on the step itself.
  Seconds busy() const { return forward + loss + backward + retry + optimizer; }
  StepPhases& operator+=(const StepPhases& other);
  bool operator==(const StepPhases&) const = default;
};

// Calls `visit(name, seconds)` for every part, in the order of the ledger.
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
  double refined = 0;
  double prior = 0;
  double forward_sum = 0;
  double binarisation = 0;
  double duration = 0;

  StepLosses& operator+=(const StepLosses& other);
  bool operator==(const StepLosses&) const = default;
};

// Calls `visit(name, value)` for the total and every part.
template <typename Losses, typename Visitor>
void visit_losses(Losses& losses, Visitor&& visit) {
  visit("total", losses.total);
  visit("mel", losses.mel);
  visit("refined", losses.refined);
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
  std::int64_t earlier_padded = 0;  // frames of the batches before the last, padding included
  StepLosses losses;
  double learning_rate = 0;  // not a number: unknown, as of other trainers
  double gradient_norm = 0;  // before clipping
  bool skipped = false;      // loss or gradient were not finite: no update was made
  StepPhases phases;

  // Frames of all batches, padding included.
  std::int64_t all_padded() const {
    return earlier_padded + static_cast<std::int64_t>(rows) * padded_frames;
  }

  bool operator==(const StepRecord&) const = default;
};

// A journal line of kind "step". Numbers that are not finite are written as null.
Event to_event(const StepRecord& record);
// Fails when the line is of another kind or lacks a field.
Result<StepRecord> to_step_record(const nlohmann::json& line);

}  // namespace qanat
