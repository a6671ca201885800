#include "speech/voice_of.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "audio/audio_decoder.h"
#include "features/mel_extractor.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"

namespace qanat {
namespace {

constexpr std::size_t kReferenceFrames = 517;  // 6 s: as long as references in training get
constexpr Seconds kFirstChunk{0.2};
constexpr Seconds kLargestChunk{2.0};

}  // namespace

std::vector<float> read_reference(const std::filesystem::path& path, const MelConfig& config) {
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
  if (frames > kReferenceFrames) {
    const std::size_t first = (frames - kReferenceFrames) / 2;
    const std::span<const float> middle =
        std::span<const float>(mel).subspan(first * bins, kReferenceFrames * bins);
    return {middle.begin(), middle.end()};
  }
  return mel;
}

std::optional<int> find_speaker(const std::string& name, const std::vector<std::string>& speakers) {
  if (name.empty()) {
    return std::nullopt;
  }
  if (speakers.empty()) {
    throw MessageError(msg::speaker_none{.speaker = name});
  }
  const auto found = std::ranges::find(speakers, name);
  if (found == speakers.end()) {
    constexpr std::size_t kShown = 20;
    const std::span<const std::string> shown(speakers.data(), std::min(kShown, speakers.size()));
    std::vector<std::string> known(shown.begin(), shown.end());
    if (speakers.size() > kShown) {
      known.emplace_back("…");
    }
    throw MessageError(msg::speaker_unknown{.speaker = name, .known = known});
  }
  return static_cast<int>(found - speakers.begin());
}

int frames_of(Seconds length, const MelConfig& mel) {
  return std::max(1,
                  static_cast<int>(std::lround(
                      length.count() * static_cast<double>(mel.sample_rate.value) / mel.hop)));
}

ChunkLengths streaming_chunks(const MelConfig& mel) {
  return {.first = frames_of(kFirstChunk, mel), .most = frames_of(kLargestChunk, mel)};
}

}  // namespace qanat
