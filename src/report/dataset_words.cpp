#include "report/dataset_words.h"

#include <algorithm>

#include <fmt/format.h>

namespace qanat {
namespace {

// A name in its own direction: Persian names do not pull the numbers beside them to their side.
std::string isolated(std::string_view name) {
  return fmt::format("{}{}{}", kFirstStrongIsolate, name, kPopIsolate);
}

std::string total_words(const SetTotal& total) {
  return fmt::format("{} utterance{}, {}",
                     grouped(total.utterances),
                     total.utterances == 1 ? "" : "s",
                     duration_words(total.duration));
}

// "mary 3.2 h, ali 1.1 h and 12 more"
std::string list_words(const std::vector<NamedTotal>& totals) {
  constexpr std::size_t kShown = 5;
  std::string words;
  for (std::size_t i = 0; i < std::min(kShown, totals.size()); ++i) {
    words += fmt::format("{}{} {}",
                         i == 0 ? "" : ", ",
                         totals[i].name.empty() ? "not said" : isolated(totals[i].name),
                         duration_words(totals[i].total.duration));
  }
  if (totals.size() > kShown) {
    words += fmt::format(" and {} more", totals.size() - kShown);
  }
  return words;
}

std::string speaker_words(const DatasetReport& report) {
  if (report.speakers.size() == 1 && report.speakers.front().name.empty()) {
    return "the manifest names none";
  }
  return fmt::format("{}: {}", report.speakers.size(), list_words(report.speakers));
}

std::string character_words(const std::vector<NamedCount>& characters) {
  constexpr std::size_t kShown = 10;
  std::string words;
  for (std::size_t i = 0; i < std::min(kShown, characters.size()); ++i) {
    words += fmt::format("{}{} ({})",
                         i == 0 ? "" : ", ",
                         isolated(characters[i].name),
                         grouped(characters[i].count));
  }
  if (characters.size() > kShown) {
    words += fmt::format(" and {} more", characters.size() - kShown);
  }
  return words;
}

void add_length_facts(const DatasetReport& report, std::vector<FactLine>& facts) {
  if (report.lengths) {
    facts.push_back({"clip length",
                     fmt::format("{:.2f} s shortest, {:.2f} s median, {:.2f} s mean, {:.2f} s p95, "
                                 "{:.2f} s longest",
                                 report.lengths->shortest.count(),
                                 report.lengths->median.count(),
                                 report.lengths->mean.count(),
                                 report.lengths->p95.count(),
                                 report.lengths->longest.count())});
  }
  if (report.characters_per_second) {
    facts.push_back(
        {"speaking pace",
         fmt::format("{:.1f} characters per second (median)", *report.characters_per_second)});
  }
  const LengthLimits& limits = report.limits;
  facts.push_back({"limits",
                   fmt::format("at most {} tokens and {} frames ({:.1f} s), at least {:.2f} s",
                               limits.max_tokens.value,
                               limits.max_frames.value,
                               static_cast<double>(limits.max_frames.value * limits.hop) /
                                   static_cast<double>(limits.rate.value),
                               static_cast<double>(limits.min_samples.value) /
                                   static_cast<double>(limits.rate.value))});
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string duration_words(Seconds duration) {
  const double seconds = duration.count();
  if (seconds < 60) {
    return fmt::format("{:.3g} s", seconds);
  }
  if (seconds < 3600) {
    return fmt::format("{:.3g} min", seconds / 60);
  }
  const double hours = seconds / 3600;
  return hours < 100 ? fmt::format("{:.3g} h", hours)
                     : grouped(static_cast<std::int64_t>(hours + 0.5)) + " h";
}

std::string bin_name(const HistogramBin& bin) {
  return fmt::format("{:g}-{:g} s", bin.from.count(), bin.to.count());
}

std::string place_of(const DatasetReport& report, const DatasetProblem& problem) {
  const std::string& source = report.sources.at(problem.source);
  return problem.line == 0 ? source : fmt::format("{}:{}", source, problem.line);
}

std::string_view heading(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "Errors: these would not be used";
    case Severity::warning:
      return "Warnings: these are used; look at them";
    case Severity::note:
      return "Notes";
  }
  return "";
}

std::string verdict(const DatasetReport& report) {
  if (report.unusable) {
    return "This set cannot be used: " + *report.unusable;
  }
  const std::int64_t warnings = count_of(report, Severity::warning);
  const std::string also =
      warnings == 0 ? ""
                    : fmt::format("; {} warning{}", grouped(warnings), warnings == 1 ? "" : "s");
  if (report.dropped() == 0) {
    return fmt::format("All {} rows can be used{}.", grouped(report.rows), also);
  }
  return fmt::format(
      "{} of {} rows ({:.3g} %) would not be used{}.",
      grouped(report.dropped()),
      grouped(report.rows),
      100.0 * static_cast<double>(report.dropped()) / static_cast<double>(report.rows),
      also);
}

std::vector<FactLine> facts_of(const DatasetReport& report) {
  std::vector<FactLine> facts;
  facts.push_back({"manifest", fmt::format("{}", fmt::join(report.sources, ", "))});
  facts.push_back({"rows", grouped(report.rows)});
  facts.push_back({"usable", total_words(report.usable)});
  if (report.train && report.validation) {
    facts.push_back({"for training", total_words(*report.train)});
    facts.push_back({"for validation", total_words(*report.validation)});
  }
  if (report.usable.utterances > 0) {
    facts.push_back({"speakers", speaker_words(report)});
    facts.push_back({"languages", list_words(report.languages)});
    facts.push_back({"audio", list_words(report.formats)});
  }
  add_length_facts(report, facts);
  if (!report.unknown_characters.empty()) {
    facts.push_back({"unknown characters", character_words(report.unknown_characters)});
  }
  facts.push_back({"looked at",
                   report.depth == CheckDepth::samples
                       ? "manifest, text, audio headers and every sample"
                       : "manifest, text and audio headers; not the samples (--quick)"});
  return facts;
}

}  // namespace qanat
