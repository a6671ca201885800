// What a validation found. Values; no libtorch.
#pragma once

#include <cstdint>
#include <optional>

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

struct ValidationResult {
  std::int64_t utterances = 0;
  std::int64_t frames = 0;
  // Of the speech model: teacher-forced; binarisation is not part of the total. Of a vocoder: of
  // copy synthesis; the total is the sum of both distances.
  StepLosses losses;
  std::optional<FreeRunning> free_running{};

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
