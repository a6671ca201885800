#include "dataset/sound_findings.h"

#include <fmt/format.h>

namespace qanat {
namespace {

void add_level_findings(const SoundLevels& levels,
                        const SoundLimits& limits,
                        std::vector<SoundFinding>& findings) {
  if (levels.non_finite > 0) {
    findings.push_back(
        {ProblemKind::damaged_audio, fmt::format("samples: {} are no numbers", levels.non_finite)});
    return;
  }
  if (levels.silent) {
    findings.push_back({ProblemKind::silence, "sound: none above -60 dB"});
  } else if (levels.leading_silence > limits.silence || levels.trailing_silence > limits.silence) {
    findings.push_back({ProblemKind::silence,
                        fmt::format("silence: {:.2f} s before and {:.2f} s after the speech",
                                    levels.leading_silence.count(),
                                    levels.trailing_silence.count())});
  }
  if (levels.clipped_share > limits.clipped_share) {
    findings.push_back(
        {ProblemKind::clipping,
         fmt::format("clipping: {:.2f} % of the samples", 100 * levels.clipped_share)});
  }
}

}  // namespace

std::vector<SoundFinding> sound_findings(const SoundFacts& facts, const SoundLimits& limits) {
  std::vector<SoundFinding> findings;
  if (facts.levels) {
    add_level_findings(*facts.levels, limits, findings);
  }
  if (facts.rate != limits.rate) {
    findings.push_back(
        {ProblemKind::other_rate,
         fmt::format("rate: {} Hz; expected {}", facts.rate.value, limits.rate.value)});
  }
  if (facts.channels != 1) {
    findings.push_back(
        {ProblemKind::several_channels, fmt::format("channels: {}", facts.channels)});
  }
  return findings;
}

std::string format_name(SampleRate rate, int channels) {
  if (channels == 1 || channels == 2) {
    return fmt::format("{} Hz {}", rate.value, channels == 1 ? "mono" : "stereo");
  }
  return fmt::format("{} Hz {} channels", rate.value, channels);
}

}  // namespace qanat
