#include "audio/audio_header.h"

#include <fmt/format.h>

namespace qanat {

Result<Done> check_rate_and_channels(SampleRate rate, int channels) {
  if (channels < 1 || channels > kMaxChannels) {
    return Failure{fmt::format("{} channels; expected 1 to {}", channels, kMaxChannels)};
  }
  if (rate < kMinSampleRate || rate > kMaxSampleRate) {
    return Failure{fmt::format("sample rate {} Hz; expected {} to {}",
                               rate.value,
                               kMinSampleRate.value,
                               kMaxSampleRate.value)};
  }
  return Done{};
}

Result<Done> check_audio_header(const AudioHeader& header) {
  Result<Done> shape = check_rate_and_channels(header.rate, header.channels);
  if (!shape) {
    return shape;
  }
  if (header.samples.value < 1) {
    return Failure{"no samples"};
  }
  if (header.samples.value > kMaxAudioSeconds * header.rate.value) {
    return Failure{
        fmt::format("{} samples at {} Hz are longer than an hour; try cutting it into "
                    "utterances",
                    header.samples.value,
                    header.rate.value)};
  }
  return Done{};
}

}  // namespace qanat
