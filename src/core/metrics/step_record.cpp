#include "metrics/step_record.h"

#include <algorithm>

namespace qanat {

Seconds StepPhases::total() const {
  Seconds sum{0};
  for (const StepPart& part : kStepParts) {
    sum += this->*part.time;
  }
  return sum;
}

Seconds StepPhases::busy() const {
  Seconds sum{0};
  for (const StepPart& part : kStepParts) {
    sum += part.kind == StepPartKind::work ? this->*part.time : Seconds{0};
  }
  return sum;
}

StepPhases& StepPhases::operator+=(const StepPhases& other) {
  for (const StepPart& part : kStepParts) {
    this->*part.time += other.*part.time;
  }
  return *this;
}

// No journal makes it overflow.
std::int64_t StepRecord::padded_like_the_last() const {
  constexpr double kMax = 1e18;
  const double all = static_cast<double>(batches) * rows * padded_frames;
  return static_cast<std::int64_t>(std::clamp(all, 0.0, kMax));
}

StepLosses& StepLosses::operator+=(const StepLosses& other) {
  total += other.total;
  mel += other.mel;
  postnet_mel += other.postnet_mel;
  prior += other.prior;
  forward_sum += other.forward_sum;
  binarisation += other.binarisation;
  duration += other.duration;
  stft += other.stft;
  magnitude += other.magnitude;
  adversarial += other.adversarial;
  feature += other.feature;
  discriminator += other.discriminator;
  return *this;
}

}  // namespace qanat
