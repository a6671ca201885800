#include "dataset/sound_findings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

// "22050": rates are not grouped.
Quantity hertz(SampleRate rate) {
  return plain(static_cast<double>(rate.value), 0);
}

void add_level_findings(const SoundLevels& levels,
                        const SoundLimits& limits,
                        std::vector<SoundFinding>& findings) {
  if (levels.non_finite > 0) {
    findings.push_back(
        {ProblemKind::damaged_audio,
         msg::seen_no_numbers{.count = plain(static_cast<double>(levels.non_finite), 0)}});
    return;
  }
  if (levels.silent) {
    findings.push_back({ProblemKind::silence, msg::seen_no_sound{}});
  } else if (levels.leading_silence > limits.silence || levels.trailing_silence > limits.silence) {
    findings.push_back({ProblemKind::silence,
                        msg::seen_silence{.before = plain(levels.leading_silence.count(), 2),
                                          .after = plain(levels.trailing_silence.count(), 2)}});
  }
  if (levels.clipped_share > limits.clipped_share) {
    findings.push_back(
        {ProblemKind::clipping, msg::seen_clipping{.share = in_percent(levels.clipped_share, 2)}});
  }
}

constexpr std::size_t kMin = 20;
constexpr double kDeviations = 4.0;
constexpr double kMinFactor = 1.5;

}  // namespace

std::vector<SoundFinding> sound_findings(const SoundFacts& facts, const SoundLimits& limits) {
  std::vector<SoundFinding> findings;
  if (facts.levels) {
    add_level_findings(*facts.levels, limits, findings);
  }
  if (facts.rate != limits.rate) {
    findings.push_back({ProblemKind::other_rate,
                        msg::seen_rate{.rate = hertz(facts.rate), .wanted = hertz(limits.rate)}});
  }
  if (facts.channels != 1) {
    findings.push_back(
        {ProblemKind::several_channels, msg::seen_channels{.count = facts.channels}});
  }
  return findings;
}

Message format_name(SampleRate rate, int channels) {
  if (channels == 1) {
    return msg::format_mono{.rate = hertz(rate)};
  }
  return channels == 2 ? Message(msg::format_stereo{.rate = hertz(rate)})
                       : msg::format_channels{.rate = hertz(rate), .channels = channels};
}

double pace_of(std::string_view text, Seconds length) {
  return static_cast<double>(num_code_points(text)) / length.count();
}

std::optional<double> impossible_median(std::span<const double> paces) {
  if (paces.size() < kMin) {
    return std::nullopt;
  }
  const double middle = median(std::vector<double>(paces.begin(), paces.end()));
  const bool is_possible = middle >= kSlowestMedian && middle <= kFastestMedian;
  return is_possible ? std::nullopt : std::optional(middle);
}

std::vector<PaceOutlier> pace_outliers(std::span<const double> paces) {
  if (paces.size() < kMin) {
    return {};
  }
  std::vector<double> logs(paces.size());
  std::ranges::transform(paces, logs.begin(), [](double pace) { return std::log(pace); });
  const double center = median(logs);
  const double limit = std::max(kDeviations * scaled_mad(logs), std::log(kMinFactor));
  std::vector<PaceOutlier> outliers;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (std::abs(logs[i] - center) > limit) {
      outliers.push_back({.item = i, .pace = paces[i], .usual = std::exp(center)});
    }
  }
  return outliers;
}

}  // namespace qanat
