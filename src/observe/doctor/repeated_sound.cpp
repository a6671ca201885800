#include "doctor/repeated_sound.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "locale/messages/doctor.h"

namespace qanat {
namespace {

constexpr int kBits = static_cast<int>(kFingerprintWords * 64);
// About 30 % differ between two recordings of a sentence, about 5 % after another codec.
constexpr int kMaxDifferent = kBits * 12 / 100;
constexpr double kSameLength = 0.03;
// In a set with very many clips of one length, the nearest by length are compared.
constexpr std::size_t kMaxCompared = 4096;

int different_bits(const ClipMeasures& a, const ClipMeasures& b) {
  int bits = 0;
  for (std::size_t i = 0; i < kFingerprintWords; ++i) {
    bits += std::popcount(a.fingerprint.at(i) ^ b.fingerprint.at(i));
    if (bits > kMaxDifferent) {
      break;
    }
  }
  return bits;
}

struct Repeat {
  std::uint32_t first = 0;
  int bits = 0;
};

using Repeats = std::map<std::uint32_t, Repeat>;  // by item: the earliest that it repeats

void note_repeat(std::uint32_t a, std::uint32_t b, int bits, Repeats& repeats) {
  const std::uint32_t later = std::max(a, b);
  const std::uint32_t earlier = std::min(a, b);
  const auto [place, is_new] = repeats.emplace(later, Repeat{earlier, bits});
  if (!is_new && earlier < place->second.first) {
    place->second = {earlier, bits};
  }
}

Repeats repeats_in(const DoctorReport& report) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t item = 0; item < report.measures.size(); ++item) {
    if (report.measures[item] && report.measures[item]->color) {
      order.push_back(item);
    }
  }
  const auto sounding = [&](std::uint32_t item) { return report.measures[item]->sounding.count(); };
  std::ranges::stable_sort(order, {}, sounding);
  Repeats repeats;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t last = std::min(order.size(), i + 1 + kMaxCompared);
    for (std::size_t j = i + 1; j < last; ++j) {
      if (sounding(order[j]) > (1 + kSameLength) * sounding(order[i]) + 0.02) {
        break;
      }
      const int bits = different_bits(*report.measures[order[i]], *report.measures[order[j]]);
      if (bits <= kMaxDifferent) {
        note_repeat(order[i], order[j], bits, repeats);
      }
    }
  }
  return repeats;
}

}  // namespace

void judge_repeats(DoctorReport& report) {
  const std::vector<Utterance>& utterances = report.manifest.utterances;
  for (const auto& [item, repeat] : repeats_in(report)) {
    const bool same_text = utterances[item].text == utterances[repeat.first].text;
    const double alike = 1 - static_cast<double>(repeat.bits) / kBits;
    const MessageArg id = utterances[repeat.first].id;
    report.findings.push_back(
        {.rule = DoctorRuleKind::same_sound,
         .item = item,
         .strength = alike + (same_text ? 0 : 1),
         .detail = same_text ? Message(msg::doc014_detail{.other = id, .alike = in_percent(alike)})
                             : msg::doc014_other_text{.other = id, .alike = in_percent(alike)},
         .action = ViewAction::drop});
    if (!same_text) {  // one of the two texts is wrong: nobody knows which
      report.findings.push_back({.rule = DoctorRuleKind::same_sound,
                                 .item = repeat.first,
                                 .strength = alike + 1,
                                 .detail = msg::doc014_other_text{.other = utterances[item].id,
                                                                  .alike = in_percent(alike)},
                                 .action = ViewAction::drop});
    }
  }
}

}  // namespace qanat
