#include "audio/resampler.h"

#include <cmath>

#include <soxr.h>

#include "base/error.h"

namespace qanat {
namespace {

constexpr std::size_t kDrain = 4096;

}  // namespace

void Resampler::Delete::operator()(::soxr* engine) const {
  soxr_delete(engine);
}

Resampler::Resampler(SampleRate from, SampleRate to) : from_(from), to_(to) {
  soxr_error_t problem = nullptr;
  const soxr_io_spec_t samples = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I);
  const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_HQ, 0);
  const soxr_runtime_spec_t one_thread = soxr_runtime_spec(1);
  engine_.reset(soxr_create(static_cast<double>(from.value),
                            static_cast<double>(to.value),
                            1,
                            &problem,
                            &samples,
                            &quality,
                            &one_thread));
  if (problem != nullptr) {
    throw Error("cannot resample from {} to {} Hz: {}", from.value, to.value, problem);
  }
}

void Resampler::push(std::span<const float> input, std::vector<float>& output) {
  const double ratio = static_cast<double>(to_.value) / static_cast<double>(from_.value);
  while (!input.empty()) {
    const double expected = std::ceil(static_cast<double>(input.size()) * ratio);
    const Progress progress = run(input, static_cast<std::size_t>(expected) + kDrain, output);
    input = input.subspan(progress.taken);
  }
}

void Resampler::finish(std::vector<float>& output) {
  while (run({}, kDrain, output).written == kDrain) {
  }
}

Resampler::Progress Resampler::run(std::span<const float> input,
                                   std::size_t room,
                                   std::vector<float>& output) {
  const std::size_t before = output.size();
  output.resize(before + room);
  Progress progress;
  const soxr_error_t problem = soxr_process(engine_.get(),
                                            input.data(),
                                            input.size(),
                                            &progress.taken,
                                            output.data() + before,
                                            room,
                                            &progress.written);
  if (problem != nullptr) {
    throw Error("cannot resample from {} to {} Hz: {}", from_.value, to_.value, problem);
  }
  output.resize(before + progress.written);
  return progress;
}

}  // namespace qanat
