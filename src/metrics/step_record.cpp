#include "metrics/step_record.h"

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
