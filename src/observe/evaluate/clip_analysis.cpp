#include "evaluate/clip_analysis.h"

#include <cstdint>

#include "evaluate/pitch.h"
#include "locale/message_error.h"
#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

constexpr std::size_t kEnvelopeSize = 512;  // as pymcd; room for voices down to 130 Hz

}  // namespace

ClipAnalyser::ClipAnalyser()
    : decoder_(extractor_.config().sample_rate),
      envelope_(extractor_.config().sample_rate, kEnvelopeSize),
      cepstrum_(envelope_.num_bins()) {}

Result<ClipAnalysis> ClipAnalyser::analyse(const std::filesystem::path& file) {
  const Result<std::span<const float>> samples = decoder_.decode(file);
  if (!samples) {
    return samples.failure();
  }
  const Seconds duration(static_cast<double>(samples.value().size()) /
                         static_cast<double>(extractor_.config().sample_rate.value));
  if (duration < kMinClip) {
    return to_failure(msg::evaluate_too_short{.duration = duration, .least = kMinClip});
  }
  if (duration > kMaxClip) {
    return to_failure(msg::evaluate_too_long{.duration = duration, .most = kMaxClip});
  }
  return analyse(samples.value());
}

ClipAnalysis ClipAnalyser::analyse(std::span<const float> samples) {
  const MelConfig& config = extractor_.config();
  const SampleRate rate = config.sample_rate;
  ClipAnalysis clip{
      .duration = Seconds(static_cast<double>(samples.size()) / static_cast<double>(rate.value)),
      .mel_bins = static_cast<std::size_t>(config.mel_bins)};
  const std::vector<double> exact(samples.begin(), samples.end());
  clip.pitch = estimate_pitch(exact, rate);
  clip.cepstra.resize(clip.pitch.size() * kMelCepstrumSize);
  for (std::size_t f = 0; f < clip.pitch.size(); ++f) {
    cepstrum_.of(envelope_.at(exact, pitch_frame_time(f), clip.pitch[f]),
                 std::span(clip.cepstra).subspan(f * kMelCepstrumSize, kMelCepstrumSize));
  }
  const FrameCount frames =
      mel_frames(SampleCount{static_cast<std::int64_t>(samples.size())}, config);
  std::vector<float> mel(static_cast<std::size_t>(frames.value) * clip.mel_bins);
  extractor_.extract(samples, mel);
  clip.log_mel.assign(mel.begin(), mel.end());
  return clip;
}

}  // namespace qanat
