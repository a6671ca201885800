#include "metrics/step_record.h"

namespace qanat {

StepPhases& StepPhases::operator+=(const StepPhases& other) {
  wait += other.wait;
  transfer += other.transfer;
  forward += other.forward;
  loss += other.loss;
  backward += other.backward;
  retry += other.retry;
  optimizer += other.optimizer;
  checkpoint += other.checkpoint;
  residual += other.residual;
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
  return *this;
}

}  // namespace qanat
