#include "report/dataset_words.h"

#include <algorithm>

#include <fmt/format.h>

namespace qanat {
namespace {

// A name in its own direction: Persian names do not pull the numbers beside them to their side.
std::string isolated(std::string_view name, const DatasetWording& wording) {
  return fmt::format("{}{}{}",
                     kFirstStrongIsolate,
                     wording.clean == nullptr ? std::string(name) : wording.clean(name),
                     kPopIsolate);
}

std::string joined(const std::vector<std::string>& parts, const Words& words) {
  return fmt::format("{}", fmt::join(parts, words.comma()));
}

std::string total_words(const SetTotal& total, const Words& words) {
  return words.say(fmt::format("{} utterance{}, {}",
                               grouped(total.utterances),
                               total.utterances == 1 ? "" : "s",
                               duration_words(total.duration)));
}

// " and 12 more", or nothing.
std::string rest_words(std::size_t all, std::size_t shown, const Words& words) {
  return all > shown ? ' ' + words.say(fmt::format("and {} more", all - shown)) : std::string();
}

// "mary 3.2 h, ali 1.1 h and 12 more"; `name` says the name of one.
template <typename NameFn>
std::string list_words(const std::vector<NamedTotal>& totals, const Words& words, NameFn name) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, totals.size()); ++i) {
    shown.push_back((totals[i].name.empty() ? words.say("not said") : name(totals[i].name)) + ' ' +
                    duration_words(totals[i].total.duration, words));
  }
  return joined(shown, words) + rest_words(totals.size(), kShown, words);
}

std::string list_words(const std::vector<NamedTotal>& totals, const DatasetWording& wording) {
  return list_words(
      totals, wording.words, [&](const std::string& name) { return isolated(name, wording); });
}

// "22050 Hz mono" are our own words.
std::string format_words(const std::vector<NamedTotal>& formats, const Words& words) {
  return list_words(formats, words, [&](const std::string& name) { return words.say(name); });
}

std::string speaker_words(const DatasetReport& report, const DatasetWording& wording) {
  if (report.speakers.size() == 1 && report.speakers.front().name.empty()) {
    return wording.words.say("the manifest names none");
  }
  return fmt::format("{}: {}",
                     wording.words.digits(std::to_string(report.speakers.size())),
                     list_words(report.speakers, wording));
}

std::string character_words(const std::vector<UnknownCharacter>& characters,
                            const DatasetWording& wording) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, characters.size()); ++i) {
    shown.push_back(fmt::format("{} ({})",
                                isolated(characters[i].name, wording),
                                wording.words.count(characters[i].occurrences)));
  }
  return joined(shown, wording.words) + rest_words(characters.size(), kShown, wording.words);
}

std::string source_words(const DatasetReport& report, const DatasetWording& wording) {
  std::vector<std::string> names;
  for (const std::string& source : report.sources) {
    names.push_back(isolated(source, wording));
  }
  return joined(names, wording.words);
}

std::string length_words(const LengthSummary& lengths) {
  return fmt::format(
      "{:.2f} s shortest, {:.2f} s median, {:.2f} s mean, {:.2f} s p95, {:.2f} s longest",
      lengths.shortest.count(),
      lengths.median.count(),
      lengths.mean.count(),
      lengths.p95.count(),
      lengths.longest.count());
}

std::string limit_words(const LengthLimits& limits) {
  const auto rate = static_cast<double>(limits.rate.value);
  return fmt::format("at most {} tokens and {} frames ({:.1f} s), at least {:.2f} s",
                     limits.max_tokens.value,
                     limits.max_frames.value,
                     static_cast<double>(limits.max_frames.value * limits.hop) / rate,
                     static_cast<double>(limits.min_samples.value) / rate);
}

void add_length_facts(const DatasetReport& report, const Words& words, std::vector<FactLine>& to) {
  if (report.lengths) {
    to.push_back({words.say("clip length"), words.say(length_words(*report.lengths))});
  }
  if (report.characters_per_second) {
    to.push_back({words.say("speaking pace"),
                  words.say(fmt::format("{:.1f} characters per second (median)",
                                        *report.characters_per_second))});
  }
  to.push_back({words.say("limits"), words.say(limit_words(report.limits))});
}

// The rows of a batch have another word in Persian.
std::string rows_word(const Words& words) {
  return words.language() == Language::en ? "rows" : words.say("rows (of a manifest)");
}

std::string verdict_words(const DatasetReport& report) {
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

}  // namespace

std::string duration_words(Seconds duration, const Words& words) {
  const bool english = words.language() == Language::en;
  const double seconds = duration.count();
  if (seconds < 60) {
    return fmt::format("{} {}", words.digits(fmt::format("{:.3g}", seconds)), words.say("s"));
  }
  if (seconds < 3600) {
    return fmt::format("{} {}",
                       words.digits(fmt::format("{:.3g}", seconds / 60)),
                       english ? "min" : words.say("min (word)"));
  }
  const double hours = seconds / 3600;
  const std::string figures =
      hours < 100 ? fmt::format("{:.3g}", hours) : grouped(static_cast<std::int64_t>(hours + 0.5));
  return fmt::format("{} {}", words.digits(figures), words.say("h"));
}

std::string bin_name(const HistogramBin& bin, const Words& words) {
  const std::string from = fmt::format("{:g}", bin.from.count());
  const std::string to = fmt::format("{:g}", bin.to.count());
  if (words.language() == Language::en) {
    return fmt::format("{}-{} s", from, to);
  }
  return fmt::format(
      "{} {} {} {}", words.digits(from), words.say("to"), words.digits(to), words.say("s"));
}

std::string place_of(const DatasetReport& report, const DatasetProblem& problem) {
  const std::string& source = report.sources.at(problem.source);
  return problem.line == 0 ? source : fmt::format("{}:{}", source, problem.line);
}

std::string occurrence_words(const DatasetReport& report,
                             const UnknownCharacter& character,
                             const DatasetWording& wording) {
  const std::string place =
      fmt::format("{}:{} {}", report.sources.at(character.source), character.line, character.id);
  return wording.words.say(fmt::format("{} x in {} utterance{}, first in {}",
                                       grouped(character.occurrences),
                                       grouped(character.utterances),
                                       character.utterances == 1 ? "" : "s",
                                       wording.clean == nullptr ? place : wording.clean(place)));
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

std::string verdict(const DatasetReport& report, const DatasetWording& wording) {
  if (!report.unusable) {
    return wording.words.say(verdict_words(report));
  }
  const std::string why =
      wording.clean == nullptr ? *report.unusable : wording.clean(*report.unusable);
  return fmt::format(
      "{}: {}", wording.words.say("This set cannot be used"), wording.words.say(why));
}

std::vector<FactLine> facts_of(const DatasetReport& report, const DatasetWording& wording) {
  const Words& words = wording.words;
  std::vector<FactLine> facts;
  facts.push_back({words.say("manifest"), source_words(report, wording)});
  facts.push_back({rows_word(words), words.count(report.rows)});
  facts.push_back({words.say("usable"), total_words(report.usable, words)});
  if (report.train && report.validation) {
    facts.push_back({words.say("for training"), total_words(*report.train, words)});
    facts.push_back({words.say("for validation"), total_words(*report.validation, words)});
  }
  if (report.usable.utterances > 0) {
    facts.push_back({words.say("speakers"), speaker_words(report, wording)});
    facts.push_back({words.say("languages"), list_words(report.languages, wording)});
    facts.push_back({words.say("audio"), format_words(report.formats, words)});
  }
  add_length_facts(report, words, facts);
  if (!report.unknown_characters.empty()) {
    facts.push_back(
        {words.say("unknown characters"), character_words(report.unknown_characters, wording)});
  }
  facts.push_back({words.say("looked at"),
                   words.say(report.depth == CheckDepth::samples
                                 ? "manifest, text, audio headers and every sample"
                                 : "manifest, text and audio headers; not the samples (--quick)")});
  return facts;
}

}  // namespace qanat
