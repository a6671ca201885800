// What a validation found. Values; no libtorch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/step_record.h"

namespace qanat {

struct FreeRunning {
  int utterances = 0;
  double mel_distance = 0;  // nats; warped_distance() to the recording
  double length_error = 0;  // mean of |frames / recorded frames - 1|

  static void visit_fields(auto& self, auto&& field) {
    field("utterances", self.utterances);
    field("mel_distance", self.mel_distance);
    field("length_error", self.length_error);
  }
};

// How a validation differs from the one before it whose loss was the lowest, clip by clip.
struct SinceLowest {
  std::int64_t step = 0;  // of that one
  int clips = 0;          // that were compared, or groups of them
  double loss = 0;        // of that one, over these clips
  double change = 0;      // of the loss since: positive is worse
  double error = 0;       // standard error of the change, as another draw of clips would have it

  static void visit_fields(auto& self, auto&& field) {
    field("step", self.step)("clips", self.clips)("loss", self.loss);
    field("change", self.change)("error", self.error);
  }
};

struct ValidationResult {
  std::int64_t utterances = 0;
  std::int64_t frames = 0;
  // The speech model's are teacher-forced; binarisation is not part of the total. A vocoder's
  // are of copy synthesis; the total is the sum of both distances.
  StepLosses losses;
  std::optional<FreeRunning> free_running{};
  // Not journalled: the total by clip or group of clips, in an order that does not change.
  std::vector<double> clip_losses{};

  static void visit_fields(auto& self, auto&& field) {
    field("utterances", self.utterances);
    field("frames", self.frames);
    field("mel", self.losses.mel);
    field.unless_zero("stft", self.losses.stft);
    if (!self.losses.is_of_vocoder()) {
      field("refined", self.losses.postnet_mel);
      field("prior", self.losses.prior);
      field("forward_sum", self.losses.forward_sum);
      field("duration", self.losses.duration);
    }
    field("free_running", self.free_running);
  }
};

}  // namespace qanat
