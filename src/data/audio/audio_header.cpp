#include "audio/audio_header.h"

#include <fmt/format.h>

#include "locale/message_error.h"
#include "locale/messages/audio_errors.h"

namespace qanat {

Result<Done> check_rate_and_channels(SampleRate rate, int channels) {
  if (channels < 1 || channels > kMaxChannels) {
    return to_failure(msg::audio_channels{.channels = ungrouped(channels), .most = kMaxChannels});
  }
  if (rate < kMinSampleRate || rate > kMaxSampleRate) {
    return to_failure(msg::audio_rate{.rate = ungrouped(rate.value),
                                      .least = ungrouped(kMinSampleRate.value),
                                      .most = ungrouped(kMaxSampleRate.value)});
  }
  return Done{};
}

Result<Done> check_audio_header(const AudioHeader& header) {
  Result<Done> shape = check_rate_and_channels(header.rate, header.channels);
  if (!shape) {
    return shape;
  }
  if (header.samples.value < 1) {
    return to_failure(msg::audio_no_samples{});
  }
  if (header.samples.value > kMaxAudioSeconds * header.rate.value) {
    return to_failure(msg::audio_too_long{.samples = ungrouped(header.samples.value),
                                          .rate = ungrouped(header.rate.value)});
  }
  return Done{};
}

}  // namespace qanat
