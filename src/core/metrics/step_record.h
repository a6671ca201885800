// One step of a training run as the journal keeps it: what was trained on, what came out, and
// where the time went. Values; reports and diagnosis read them back without libtorch.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/quantity.h"
#include "base/time.h"

namespace qanat {

// The time breakdown of a step: the parts add up to the time from the end of the step before to
// the end of this one, as the model device saw it.
struct StepPhases {
  Seconds wait{0};      // the device was idle because no batch was ready
  Seconds transfer{0};  // the device was idle because the batch was still on its way
  Seconds launch{0};    // the device had done all there was; the host was still launching the rest
  Seconds forward{0};   // aligner and durations included
  Seconds loss{0};
  Seconds backward{0};
  Seconds exchange{0};    // the device was idle until the gradients of all ranks were added up
  Seconds retry{0};       // done again in smaller parts after running out of memory
  Seconds optimizer{0};   // clipping and the EMA included
  Seconds checkpoint{0};  // the device waited for logging, or copied what is saved
  Seconds residual{0};    // none of the above

  Seconds total() const;
  // Time in which the model device worked on the step itself.
  Seconds busy() const;
  StepPhases& operator+=(const StepPhases& other);
  bool operator==(const StepPhases&) const = default;

  static void visit_fields(auto& self, auto&& field);
};

// What a part of the breakdown is to the model device.
enum class StepPartKind {
  before,  // idle, until there is something to do
  held,    // idle in the middle of the work
  work
};

struct StepPart {
  std::string_view name;  // in journals, reports and styles; in words: phase_<name>
  Seconds StepPhases::*time;
  StepPartKind kind;
};

// The one list of parts, in the order of the breakdown.
inline constexpr std::array kStepParts = {
    StepPart{"wait", &StepPhases::wait, StepPartKind::before},
    StepPart{"transfer", &StepPhases::transfer, StepPartKind::before},
    StepPart{"launch", &StepPhases::launch, StepPartKind::held},
    StepPart{"forward", &StepPhases::forward, StepPartKind::work},
    StepPart{"loss", &StepPhases::loss, StepPartKind::work},
    StepPart{"backward", &StepPhases::backward, StepPartKind::work},
    StepPart{"exchange", &StepPhases::exchange, StepPartKind::held},
    StepPart{"retry", &StepPhases::retry, StepPartKind::work},
    StepPart{"optimizer", &StepPhases::optimizer, StepPartKind::work},
    StepPart{"checkpoint", &StepPhases::checkpoint, StepPartKind::before},
    StepPart{"residual", &StepPhases::residual, StepPartKind::before}};

// Calls `visit(name, seconds)` for every part.
template <typename Phases, typename Visitor>
void visit_phases(Phases& phases, Visitor&& visit) {
  for (const StepPart& part : kStepParts) {
    visit(part.name, phases.*part.time);
  }
}

void StepPhases::visit_fields(auto& self, auto&& field) {
  for (const StepPart& part : kStepParts) {
    field.unless_zero(part.name, self.*part.time);
  }
}

// Covers the rows of an update, each weighted with its frames; nats, but for the duration and what
// discriminators say. Those that a task does not have are zero.
struct StepLosses {
  double total = 0;  // weighted sum, as it is minimised
  double mel = 0;
  // Only the speech model has these.
  double postnet_mel = 0;
  double prior = 0;
  double forward_sum = 0;
  double binarisation = 0;
  double duration = 0;
  // Only a vocoder has these.
  double stft = 0;
  double magnitude = 0;  // of the spectrum that the network predicts, before it is sound
  double adversarial = 0;
  double feature = 0;
  double discriminator = 0;  // of the discriminators themselves; not part of the total

  StepLosses& operator+=(const StepLosses& other);
  bool operator==(const StepLosses&) const = default;

  bool is_of_vocoder() const { return stft != 0; }

  // Calls `visit(name, value)` for what only one task has.
  static void visit_speech(auto& self, auto&& visit) {
    visit("refined", self.postnet_mel);
    visit("prior", self.prior);
    visit("forward_sum", self.forward_sum);
    visit("binarisation", self.binarisation);
    visit("duration", self.duration);
  }
  static void visit_vocoder(auto& self, auto&& visit) {
    visit("stft", self.stft);
    visit("magnitude", self.magnitude);
    visit("adversarial", self.adversarial);
    visit("feature", self.feature);
    visit("discriminator", self.discriminator);
  }
  // Those of a vocoder tell whether the others are there; another trainer knows the total only.
  static void visit_fields(auto& self, auto&& field) {
    field("total", self.total).unless_unknown("mel", self.mel);
    visit_vocoder(self, [&](const char* name, auto& value) { field.unless_zero(name, value); });
    if (!self.is_of_vocoder()) {
      const bool is_known = !std::isnan(self.mel);
      visit_speech(self, [&](const char* name, auto& value) {
        if (is_known) {
          field.unless_zero(name, value);
        } else {
          field.unless_unknown(name, value);
        }
      });
    }
  }
};

// Calls `visit(name, value)` for the total and every part that the task has.
template <typename Visitor>
void visit_losses(const StepLosses& losses, Visitor&& visit) {
  visit("total", losses.total);
  visit("mel", losses.mel);
  if (losses.is_of_vocoder()) {
    StepLosses::visit_vocoder(losses, visit);
  } else {
    StepLosses::visit_speech(losses, visit);
  }
}

// The gradients of an update on their way between the ranks, as one rank saw it.
struct StepExchange {
  Bytes bytes{};    // of this rank, that were added to those of the others
  Seconds busy{0};  // at least one exchange was under way: waiting for the slowest rank included

  bool operator==(const StepExchange&) const = default;

  static void visit_fields(auto& self, auto&& field) {
    field("bytes", self.bytes)("busy", self.busy);
  }
};

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
  std::optional<StepExchange> exchange{};  // of a run of several ranks

  // Where only the last batch's shape is known, it stands for all.
  std::int64_t all_padded() const { return padded.value_or(padded_like_the_last()); }
  std::int64_t padded_like_the_last() const;

  bool operator==(const StepRecord&) const = default;

  static constexpr std::string_view kKind = "step";
  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("epoch", self.epoch)("batch", self.batch);
    field.unless("batches", self.batches, 1);
    field("shape", std::tie(self.rows, self.padded_frames, self.tokens));
    field.unless_zero("frames", self.frames);
    field.unless("padded", self.padded, std::optional(self.padded_like_the_last()));
    field("losses", self.losses).unless_unknown("lr", self.learning_rate);
    field.unless_unknown("grad_norm", self.gradient_norm).unless_zero("skipped", self.skipped);
    field("wall", self.phases.total())("phases", self.phases)("exchange", self.exchange);
  }
};

}  // namespace qanat
