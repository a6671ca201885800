#include "speech/reference_voice.h"

#include <span>

#include "audio/audio_decoder.h"
#include "features/mel_extractor.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"

namespace qanat {

std::vector<float> read_reference_voice(const std::filesystem::path& path,
                                        const MelConfig& config) {
  constexpr std::size_t kLongest = 517;  // frames: 6 s
  AudioDecoder decoder(config.sample_rate);
  const Result<std::span<const float>> samples = decoder.decode(path);
  if (!samples) {
    throw MessageError(msg::reference_unreadable{.reason = reason_of(samples.failure())});
  }
  const auto bins = static_cast<std::size_t>(config.mel_bins);
  const std::size_t frames = samples.value().size() / static_cast<std::size_t>(config.hop);
  if (frames == 0) {
    throw MessageError(
        msg::reference_too_short{.file = path.string(), .samples = samples.value().size()});
  }
  std::vector<float> mel(frames * bins);
  MelExtractor(config).extract(samples.value(), mel);
  if (frames > kLongest) {
    const std::size_t first = (frames - kLongest) / 2;
    const std::span<const float> middle =
        std::span<const float>(mel).subspan(first * bins, kLongest * bins);
    return {middle.begin(), middle.end()};
  }
  return mel;
}

}  // namespace qanat
