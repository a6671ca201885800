#include "doctor/examine_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/for_each_item.h"
#include "doctor/repeated_sound.h"
#include "doctor/sound_rules.h"
#include "doctor/text_rules.h"
#include "doctor/word_rules.h"
#include "locale/messages/doctor.h"
#include "pipeline/clip_source.h"

namespace qanat {
namespace {

struct UnreadableClip {
  std::uint32_t item = 0;
  MessageArg why;
};

void add_unreadable(std::vector<std::vector<UnreadableClip>> unreadable, DoctorReport& report) {
  for (std::vector<UnreadableClip>& some : unreadable) {
    for (UnreadableClip& one : some) {
      report.findings.push_back({.rule = DoctorRuleKind::unreadable,
                                 .item = one.item,
                                 .strength = 1,
                                 .detail = msg::doc001_detail{.why = std::move(one.why)},
                                 .action = ViewAction::drop});
    }
  }
}

// False when stopped.
bool measure_all(const ExamineOptions& options, DoctorReport& report) {
  const std::size_t count = report.manifest.utterances.size();
  report.measures.resize(count);
  report.lengths.resize(count);
  const ParallelOptions parallel{
      .threads = options.threads, .progress = options.measuring, .stop = options.stop};
  const auto workers = static_cast<std::size_t>(num_threads(parallel));
  std::vector<ClipMeter> meters(workers);
  std::vector<std::vector<UnreadableClip>> unreadable(workers);
  const bool done = for_each_item(count, parallel, [&](int worker, std::size_t at) {
    const auto number = static_cast<std::size_t>(worker);
    const auto item = static_cast<std::uint32_t>(at);
    const std::filesystem::path path = audio_path(report.manifest, report.manifest.utterances[at]);
    const Result<AudioFile> file = open_clip(report.manifest, report.manifest.utterances[at]);
    Result<ClipMeasures> clip =
        file ? meters[number].measure(file.value(), report.manifest.utterances[at].kept)
             : Result<ClipMeasures>(file.failure());
    if (!clip) {
      unreadable[number].push_back({item, reason_of(clip.failure(), path)});
      return;
    }
    report.lengths[at] = clip.value().length;
    report.measures[at] = std::move(clip).value();
  });
  add_unreadable(std::move(unreadable), report);
  return done;
}

// What a set loses by its own rows stands in `problems`; the doctor judges the others.
void add_up(DoctorReport& report) {
  std::vector<Seconds> good = report.lengths;
  std::vector<bool> is_dropped(good.size());
  std::set<std::uint32_t> flagged;
  for (const ClipFinding& finding : report.findings) {
    flagged.insert(finding.item);
    if (finding.action == ViewAction::drop) {
      is_dropped[finding.item] = true;
    } else if (finding.kept) {
      good[finding.item] = finding.kept->to - finding.kept->from;
    }
  }
  report.flagged = static_cast<std::int64_t>(flagged.size());
  for (std::size_t item = 0; item < good.size(); ++item) {
    report.all.add(report.lengths[item]);
    if (!is_dropped[item]) {
      report.good.add(good[item]);
    }
  }
}

void sort_findings(DoctorReport& report) {
  const auto key = [](const ClipFinding& one) { return std::tuple(one.rule, one.item); };
  std::ranges::stable_sort(report.findings, [&](const ClipFinding& a, const ClipFinding& b) {
    return std::tuple(key(a), -a.strength) < std::tuple(key(b), -b.strength);
  });
  // Two figures, or the two clips of a pair, may say the same of one clip: the stronger is kept.
  const auto same = [&](const ClipFinding& a, const ClipFinding& b) { return key(a) == key(b); };
  report.findings.erase(std::unique(report.findings.begin(), report.findings.end(), same),
                        report.findings.end());
  std::ranges::stable_sort(report.findings, {}, [](const ClipFinding& one) {
    return std::tuple(one.rule, -one.strength);
  });
}

}  // namespace

std::optional<DoctorReport> examine_set(const ExamineOptions& options) {
  DoctorReport report{.manifest = scan_manifest(options.manifest)};
  if (options.view) {
    report.notes = apply_view(*options.view, report.manifest);
  }
  if (!measure_all(options, report)) {
    return std::nullopt;
  }
  judge_sound(report);
  judge_voices(report);
  judge_repeats(report);
  judge_text(report);
  if (options.asr && !listen(*options.asr, options.listening, options.stop, report)) {
    return std::nullopt;
  }
  judge_words(report);
  sort_findings(report);
  std::ranges::stable_sort(report.skipped, {}, &SkippedRule::rule);
  add_up(report);
  report.missing = missing_from(report);
  return report;
}

DataView view_of(const DoctorReport& report, const Translator& words) {
  std::map<std::uint32_t, std::array<std::vector<const ClipFinding*>, 3>> by_item;
  for (const ClipFinding& finding : report.findings) {
    by_item[finding.item].at(static_cast<std::size_t>(finding.action)).push_back(&finding);
  }
  DataView view;
  for (const auto& [item, actions] : by_item) {
    for (std::size_t action = 0; action < actions.size(); ++action) {
      const std::vector<const ClipFinding*>& findings = actions.at(action);
      const bool is_moot = action > 0 && !actions.front().empty();  // it is dropped
      if (findings.empty() || is_moot) {
        continue;
      }
      ViewLine line{.action = static_cast<ViewAction>(action),
                    .id = report.manifest.utterances[item].id,
                    .kept = findings.front()->kept};
      for (const ClipFinding* const finding : findings) {
        line.rules += (line.rules.empty() ? "" : ", ") + std::string(rule_of(finding->rule).id);
        line.why += (line.why.empty() ? "" : "; ") + words.tr(finding->detail);
      }
      view.lines.push_back(std::move(line));
    }
  }
  return view;
}

}  // namespace qanat
