// DOC018: how far the timbre and the pitch of a clip are from those of its group, allowing for how
// they vary together and for how much less a short clip says.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "doctor/outliers.h"
#include "doctor/sound_rules.h"
#include "locale/messages/doctor.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

constexpr std::size_t kSize = kColorBands + 1;  // and the pitch
using VoiceFigures = std::array<double, kSize>;
using Matrix = std::array<std::array<double, kSize>, kSize>;

struct HeardVoice {
  std::uint32_t item = 0;
  VoiceFigures voice{};
  double seconds = 0;
};

std::vector<HeardVoice> voices_of(const std::vector<std::uint32_t>& group,
                                  const DoctorReport& report) {
  std::vector<HeardVoice> voices;
  for (const std::uint32_t item : group) {
    const ClipMeasures& clip = *report.measures[item];
    if (!clip.color || !clip.pitch) {
      continue;
    }
    HeardVoice one{.item = item, .seconds = clip.sounding.count()};
    std::ranges::copy(*clip.color, one.voice.begin());
    one.voice.back() = 12 * std::log2(*clip.pitch);  // semitones: about as large as dB
    voices.push_back(one);
  }
  return voices;
}

VoiceFigures middle_of(const std::vector<HeardVoice>& voices) {
  VoiceFigures middle{};
  std::vector<double> values(voices.size());
  for (std::size_t i = 0; i < kSize; ++i) {
    std::ranges::transform(
        voices, values.begin(), [i](const HeardVoice& one) { return one.voice.at(i); });
    middle.at(i) = median(values);
  }
  return middle;
}

// The lower triangle L of L L^T = covariance, of the voices named, drawn to its diagonal so that
// few clips do not make it singular.
Matrix factor_of(const std::vector<HeardVoice>& voices,
                 const std::vector<std::size_t>& used,
                 const VoiceFigures& middle) {
  Matrix covariance{};
  for (const std::size_t at : used) {
    for (std::size_t i = 0; i < kSize; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        covariance.at(i).at(j) += (voices[at].voice.at(i) - middle.at(i)) *
                                  (voices[at].voice.at(j) - middle.at(j)) /
                                  static_cast<double>(used.size());
      }
    }
  }
  constexpr double kShrink = 0.1;
  constexpr double kMinValue = 0.5;  // dB squared
  Matrix factor{};
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest =
          i == j ? covariance.at(i).at(j) + kMinValue : covariance.at(i).at(j) * (1 - kShrink);
      for (std::size_t k = 0; k < j; ++k) {
        rest -= factor.at(i).at(k) * factor.at(j).at(k);
      }
      factor.at(i).at(j) =
          i == j ? std::sqrt(std::max(rest, kMinValue / 10)) : rest / factor.at(j).at(j);
    }
  }
  return factor;
}

double distance_of(const VoiceFigures& voice, const VoiceFigures& middle, const Matrix& factor) {
  VoiceFigures solved{};
  double sum = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    double rest = voice.at(i) - middle.at(i);
    for (std::size_t j = 0; j < i; ++j) {
      rest -= factor.at(i).at(j) * solved.at(j);
    }
    solved.at(i) = rest / factor.at(i).at(i);
    sum += solved.at(i) * solved.at(i);
  }
  return std::sqrt(sum / kSize);
}

// The four fifths that are nearest to the middle: others are not what is usual.
std::vector<std::size_t> nearest(const std::vector<double>& distances) {
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t at) { return distances[at]; });
  order.resize(order.size() * 4 / 5);
  return order;
}

std::vector<double> distances_of(const std::vector<HeardVoice>& voices) {
  const VoiceFigures middle = middle_of(voices);
  std::vector<double> distances;
  for (const HeardVoice& one : voices) {
    double sum = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      sum += (one.voice.at(i) - middle.at(i)) * (one.voice.at(i) - middle.at(i));
    }
    distances.push_back(sum);
  }
  constexpr int kTurns = 2;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Matrix factor = factor_of(voices, nearest(distances), middle);
    for (std::size_t i = 0; i < voices.size(); ++i) {
      distances[i] = distance_of(voices[i].voice, middle, factor);
    }
  }
  return distances;
}

void judge_group(const std::vector<std::uint32_t>& group, DoctorReport& report) {
  const std::vector<HeardVoice> voices = voices_of(group, report);
  // As many as there are figures of a voice, at least: fewer fit any covariance.
  constexpr std::size_t kMinVoices = 3 * kSize;
  if (voices.size() < kMinVoices) {
    report.skipped.push_back(
        {.rule = DoctorRuleKind::other_sound, .why = msg::doctor_few_clips{.least = kMinVoices}});
    return;
  }
  const std::vector<double> distances = distances_of(voices);
  std::vector<double> logs(distances.size());
  std::vector<double> seconds(distances.size());
  for (std::size_t i = 0; i < distances.size(); ++i) {
    logs[i] = std::log(distances[i]);
    seconds[i] = voices[i].seconds;
  }
  constexpr std::size_t kNeighbors = 30;
  constexpr double kDeviations = 4.5;
  constexpr double kMinRatio = 1.5;
  const std::vector<Usual> usual = usual_by_place(logs, seconds, kNeighbors, 0.1);
  const double pitch = std::exp2(middle_of(voices).back() / 12);
  for (std::size_t i = 0; i < voices.size(); ++i) {
    const double ratio = std::exp(logs[i] - usual[i].middle);
    if (usual[i].distance(logs[i]) > kDeviations && ratio > kMinRatio) {
      report.findings.push_back(
          {.rule = DoctorRuleKind::other_sound,
           .item = voices[i].item,
           .strength = usual[i].distance(logs[i]),
           .detail = msg::doc018_detail{.ratio = times(ratio, 1),
                                        .pitch = plain(*report.measures[voices[i].item]->pitch, 0),
                                        .usual = plain(pitch, 0)},
           .action = ViewAction::drop});
    }
  }
}

}  // namespace

void judge_voices(DoctorReport& report) {
  for (const std::vector<std::uint32_t>& group : groups_of(report)) {
    judge_group(group, report);
  }
}

}  // namespace qanat
