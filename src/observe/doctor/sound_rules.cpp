#include "doctor/sound_rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "doctor/outliers.h"
#include "locale/messages/doctor.h"

namespace qanat {
namespace {

enum class Side { low, high, both };

// What is shorter has no spectrum to speak of.
constexpr Seconds kMinJudged{0.25};

// A figure that is wrong far from what is usual, and beyond a bound that holds for any set.
struct FigureRule {
  DoctorRuleKind kind;
  double (*figure)(const ClipMeasures&);
  Side side = Side::high;
  double bound = 0;       // that the value has to be beyond, too; not asked on both sides
  double least_step = 0;  // from the middle
  double least_spread = 0;
  double deviations = 5;
  Message (*detail)(const ClipMeasures&, double middle);
  // A set in which this is usual tells nothing: middles beyond it. Absent: any set tells.
  double usual_limit = 1e9;
};

Message pause_detail(const ClipMeasures& clip, double middle) {
  return msg::doc004_detail{.pause = plain(clip.pause.count(), 2), .usual = plain(middle, 2)};
}
Message first_detail(const ClipMeasures& clip, double middle) {
  return msg::doc005_detail{.level = plain(clip.first_db, 0), .usual = plain(middle, 0)};
}
Message last_detail(const ClipMeasures& clip, double middle) {
  return msg::doc006_detail{.level = plain(clip.last_db, 0), .usual = plain(middle, 0)};
}
Message clipping_detail(const ClipMeasures& clip, double) {
  return msg::doc007_detail{.share = in_percent(clip.flat_share, 2),
                            .peak = plain(20 * std::log10(clip.peak), 1)};
}
Message level_detail(const ClipMeasures& clip, double middle) {
  return msg::doc008_detail{.level = plain(clip.speech_db, 0), .usual = plain(middle, 0)};
}
Message offset_detail(const ClipMeasures& clip, double) {
  return msg::doc009_detail{.share = in_percent(std::abs(clip.dc), 1)};
}
Message band_detail(const ClipMeasures& clip, double middle) {
  return msg::doc010_detail{.band = plain(clip.bandwidth / 1000, 1),
                            .usual = plain(std::exp2(middle) / 1000, 1)};
}
Message cliff_detail(const ClipMeasures& clip, double middle) {
  return msg::doc011_cliff{.band = plain(clip.bandwidth / 1000, 1),
                           .fall = plain(clip.cliff_db, 0),
                           .usual = plain(middle, 0)};
}
Message empty_detail(const ClipMeasures& clip, double middle) {
  return msg::doc011_empty{.level = plain(clip.quietest_db, 0), .usual = plain(middle, 0)};
}
Message noise_detail(const ClipMeasures& clip, double middle) {
  return msg::doc012_detail{.contrast = plain(clip.contrast_db, 0), .usual = plain(middle, 0)};
}
Message hum_detail(const ClipMeasures& clip, double) {
  return msg::doc013_detail{.hertz = plain(clip.hum_hz.value_or(50), 0),
                            .level = plain(clip.hum_db, 0)};
}

constexpr std::array kFigureRules = {
    FigureRule{.kind = DoctorRuleKind::long_pause,
               .figure = [](const ClipMeasures& clip) { return clip.pause.count(); },
               .bound = 1.0,
               .least_step = 0.8,
               .least_spread = 0.05,
               .deviations = 6,
               .detail = pause_detail},
    FigureRule{.kind = DoctorRuleKind::starts_inside,
               .figure = [](const ClipMeasures& clip) { return clip.first_db; },
               .bound = -22,
               .least_step = 12,
               .least_spread = 3,
               .deviations = 3,
               .detail = first_detail,
               .usual_limit = -32},
    FigureRule{.kind = DoctorRuleKind::ends_inside,
               .figure = [](const ClipMeasures& clip) { return clip.last_db; },
               .bound = -22,
               .least_step = 12,
               .least_spread = 3,
               .deviations = 3,
               .detail = last_detail,
               .usual_limit = -32},
    FigureRule{.kind = DoctorRuleKind::clipping,
               .figure = [](const ClipMeasures& clip) { return clip.flat_share; },
               .bound = 0.0008,
               .least_step = 0.0005,
               .least_spread = 0.0001,
               .detail = clipping_detail},
    FigureRule{.kind = DoctorRuleKind::level,
               .figure = [](const ClipMeasures& clip) { return clip.speech_db; },
               .side = Side::both,
               .least_step = 8,
               .least_spread = 1,
               .detail = level_detail},
    FigureRule{.kind = DoctorRuleKind::offset,
               .figure = [](const ClipMeasures& clip) { return std::abs(clip.dc); },
               .bound = 0.01,
               .least_step = 0.005,
               .least_spread = 0.0005,
               .detail = offset_detail},
    FigureRule{.kind = DoctorRuleKind::narrow_band,
               .figure = [](const ClipMeasures& clip) { return std::log2(clip.bandwidth); },
               .side = Side::low,
               .bound = 14.3,  // 20 kHz: what is above is not missed
               .least_step = 0.3,
               .least_spread = 0.03,
               .detail = band_detail},
    FigureRule{.kind = DoctorRuleKind::lossy,
               .figure = [](const ClipMeasures& clip) { return clip.cliff_db; },
               .bound = 48,
               .least_step = 10,
               .least_spread = 1.5,
               .deviations = 4,
               .detail = cliff_detail},
    FigureRule{.kind = DoctorRuleKind::lossy,
               .figure = [](const ClipMeasures& clip) { return clip.quietest_db; },
               .side = Side::low,
               .bound = -80,
               .least_step = 8,
               .least_spread = 1,
               .deviations = 6,
               .detail = empty_detail},
    // Little contrast is noise in any set whose clips usually have much of it.
    FigureRule{.kind = DoctorRuleKind::noise,
               .figure = [](const ClipMeasures& clip) { return clip.contrast_db; },
               .side = Side::low,
               .bound = 24,
               .least_step = 8,
               .least_spread = 1,
               .deviations = 1.5,
               .detail = noise_detail},
    FigureRule{.kind = DoctorRuleKind::hum,
               .figure = [](const ClipMeasures& clip) { return clip.hum_db; },
               .bound = 20,
               .least_step = 12,
               .least_spread = 2,
               .detail = hum_detail},
};

// A share of a group of clips; faults that are told from what is usual are rarer.
constexpr double kMaxFlaggedShare = 0.25;

bool is_wrong(const FigureRule& rule, double value, const Usual& usual) {
  const double distance = usual.distance(value);
  const double step = value - usual.middle;
  const bool is_high = step > rule.least_step && distance > rule.deviations && value > rule.bound;
  const bool is_low = step < -rule.least_step && distance < -rule.deviations && value < rule.bound;
  switch (rule.side) {
    case Side::low:
      return is_low;
    case Side::high:
      return is_high;
    case Side::both:
      return std::abs(step) > rule.least_step && std::abs(distance) > rule.deviations;
  }
  return false;
}

void judge_figure(const FigureRule& rule,
                  const std::vector<std::uint32_t>& group,
                  DoctorReport& report) {
  std::vector<double> values;
  for (const std::uint32_t item : group) {
    values.push_back(rule.figure(*report.measures[item]));
  }
  const Usual usual = usual_of(values, rule.least_spread);
  if (usual.middle > rule.usual_limit) {
    report.skipped.push_back(
        {.rule = rule.kind, .why = msg::doctor_usual_edge{.level = plain(usual.middle, 0)}});
    return;
  }
  std::vector<ClipFinding> found;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (is_wrong(rule, values[i], usual)) {
      found.push_back({.rule = rule.kind,
                       .item = group[i],
                       .strength = std::abs(usual.distance(values[i])),
                       .detail = rule.detail(*report.measures[group[i]], usual.middle),
                       .action = rule_of(rule.kind).action});
    }
  }
  // Where so many differ, the set has two ways of its own, and neither is a fault.
  if (static_cast<double>(found.size()) > kMaxFlaggedShare * static_cast<double>(group.size())) {
    report.skipped.push_back(
        {.rule = rule.kind,
         .why = msg::doctor_two_ways{.count = found.size(), .clips = group.size()}});
    return;
  }
  std::ranges::move(found, std::back_inserter(report.findings));
}

// What stays at an end that is trimmed: as much as usual, so that speech does not begin at once.
double kept_silence(const std::vector<double>& silences) {
  return std::clamp(usual_of(silences, 0.01).middle, 0.1, 0.3);
}

// In seconds of the file, of which a view may have taken a part already.
KeptPart kept_part(const ClipMeasures& clip,
                   const std::optional<KeptPart>& earlier,
                   double before,
                   double after) {
  const double from = std::max(0.0, clip.leading.count() - before);
  const double to = std::min(clip.length.count(), (clip.length - clip.trailing).count() + after);
  const Seconds begin = earlier ? earlier->from : Seconds(0);
  return {.from = begin + Seconds(from),
          .to = begin + Seconds(to),
          .of = earlier ? earlier->of : clip.length};
}

void judge_ends(const std::vector<std::uint32_t>& group, DoctorReport& report) {
  constexpr double kShortest = 0.5;  // s: no set is worse for less
  constexpr double kDeviations = 6;
  constexpr double kAlways = 1.0;  // s: too much, however usual it is
  std::vector<double> before;
  std::vector<double> after;
  for (const std::uint32_t item : group) {
    before.push_back(report.measures[item]->leading.count());
    after.push_back(report.measures[item]->trailing.count());
  }
  const Usual first = usual_of(before, 0.03);
  const Usual last = usual_of(after, 0.03);
  const auto limit = [&](const Usual& usual) {
    return std::clamp(usual.middle + kDeviations * usual.spread, kShortest, kAlways);
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    const double beyond = std::max(before[i] - limit(first), after[i] - limit(last));
    if (beyond <= 0) {
      continue;
    }
    report.findings.push_back(
        {.rule = DoctorRuleKind::silent_ends,
         .item = group[i],
         .strength = beyond,
         .detail = msg::doc003_detail{.before = plain(before[i], 2), .after = plain(after[i], 2)},
         .action = ViewAction::trim,
         .kept = kept_part(*report.measures[group[i]],
                           report.manifest.utterances[group[i]].kept,
                           kept_silence(before),
                           kept_silence(after))});
  }
}

void judge_silence(DoctorReport& report) {
  for (std::uint32_t item = 0; item < report.measures.size(); ++item) {
    const std::optional<ClipMeasures>& clip = report.measures[item];
    if (clip && clip->is_silent) {
      report.findings.push_back({.rule = DoctorRuleKind::no_sound,
                                 .item = item,
                                 .strength = clip->length.count(),
                                 .detail = msg::doc002_detail{.length = clip->length},
                                 .action = ViewAction::drop});
    }
  }
}

}  // namespace

std::vector<std::vector<std::uint32_t>> groups_of(const DoctorReport& report) {
  std::map<std::string, std::vector<std::uint32_t>> speakers;
  std::vector<std::uint32_t> rest;
  for (std::uint32_t item = 0; item < report.measures.size(); ++item) {
    const std::optional<ClipMeasures>& clip = report.measures[item];
    if (clip && !clip->is_silent && clip->length >= kMinJudged) {
      speakers[report.manifest.utterances[item].speaker].push_back(item);
    }
  }
  std::vector<std::vector<std::uint32_t>> groups;
  for (auto& [name, items] : speakers) {
    if (items.size() >= kMinUsual) {
      groups.push_back(std::move(items));
    } else {
      rest.insert(rest.end(), items.begin(), items.end());
    }
  }
  if (rest.size() >= kMinUsual) {
    std::ranges::sort(rest);
    groups.push_back(std::move(rest));
  }
  return groups;
}

void judge_sound(DoctorReport& report) {
  judge_silence(report);
  const std::vector<std::vector<std::uint32_t>> groups = groups_of(report);
  if (groups.empty()) {
    for (const FigureRule& rule : kFigureRules) {
      report.skipped.push_back(
          {.rule = rule.kind, .why = msg::doctor_few_clips{.least = kMinUsual}});
    }
  }
  for (const std::vector<std::uint32_t>& group : groups) {
    judge_ends(group, report);
    for (const FigureRule& rule : kFigureRules) {
      judge_figure(rule, group, report);
    }
  }
}

}  // namespace qanat
