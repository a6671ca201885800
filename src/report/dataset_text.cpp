#include "report/dataset_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "report/dataset_words.h"

namespace qanat {
namespace {

using Out = std::back_insert_iterator<std::string>;

// Escapes what would act on a terminal: C0, DEL, C1 (two bytes, C2 80..9F) and the marks that
// change the direction of what follows (U+200E/F, U+202A..E, U+2066..9).
std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const auto third = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : 0U;
    const bool c1 = byte == 0xC2 && next < 0xA0;
    const bool direction =
        byte == 0xE2 &&
        ((next == 0x80 && (third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE))) ||
         (next == 0x81 && third >= 0xA6 && third <= 0xA9));
    if (byte < 0x20 || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else if (c1) {
      shown += fmt::format("\\u{:04x}", next);
      i += 1;
    } else if (direction) {
      shown += fmt::format("\\u{:04x}", 0x2000U | ((next & 0x3FU) << 6U) | (third & 0x3FU));
      i += 2;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

// English lines run one way, so terminals need no marks around the names in them.
std::string shown(std::string text, const Words& words) {
  if (words.right_to_left()) {
    return text;
  }
  for (const std::string_view mark : {kFirstStrongIsolate, kPopIsolate}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      text.erase(at, mark.size());
    }
  }
  return text;
}

std::string bar(double share, bool unicode) {
  constexpr double kWidth = 40;
  if (!unicode) {
    const auto length = static_cast<std::size_t>(std::ceil(share * kWidth - 1e-9));
    return std::string(length, '#');
  }
  constexpr std::array<std::string_view, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(std::ceil(share * kWidth * 8 - 1e-9));
  std::string blocks;
  for (std::size_t i = 0; i < eighths / 8; ++i) {
    blocks += "█";
  }
  return blocks.append(kEighths[eighths % 8]);
}

void add_histogram_text(const DatasetReport& report, const DatasetTextOptions& options, Out out) {
  if (report.histogram.empty()) {
    return;
  }
  fmt::format_to(out, "\n{}\n", options.words.say("Clips by length"));
  const std::int64_t most = std::ranges::max(report.histogram, {}, &HistogramBin::count).count;
  for (const HistogramBin& bin : report.histogram) {
    const double share = static_cast<double>(bin.count) / static_cast<double>(most);
    const std::string blocks = bar(share, options.unicode);
    fmt::format_to(out,
                   "  {:>{}} {:>9}{}{}\n",
                   bin_name(bin, options.words),
                   options.words.right_to_left() ? 16 : 12,  // it says "to" and "seconds" in full
                   options.words.count(bin.count),
                   blocks.empty() ? "" : " ",
                   blocks);
  }
}

void add_rest_text(std::size_t left_out, const Words& words, Out out) {
  if (left_out > 0) {
    fmt::format_to(out,
                   "    {}\n",
                   words.say(fmt::format("and {} more; --all lists them",
                                         grouped(static_cast<std::int64_t>(left_out)))));
  }
}

void add_characters_text(const DatasetReport& report,
                         const DatasetTextOptions& options,
                         const DatasetWording& wording,
                         Out out) {
  if (report.unknown_characters.empty()) {
    return;
  }
  const Words& words = options.words;
  fmt::format_to(out, "\n{}\n", words.say("Characters that are not read"));
  const std::size_t all = report.unknown_characters.size();
  const std::size_t listed = std::min(all, options.list_limit.value_or(all));
  for (const UnknownCharacter& one : std::span(report.unknown_characters).first(listed)) {
    fmt::format_to(out,
                   "  {}  {}\n",
                   words.verbatim(printable(one.name)),
                   occurrence_words(report, one, wording));
  }
  add_rest_text(all - listed, words, out);
}

void add_problem_text(const DatasetReport& report,
                      const DatasetProblem& problem,
                      const Words& words,
                      Out out) {
  fmt::format_to(out, "    {}", words.verbatim(printable(place_of(report, problem))));
  const std::string& name = problem.audio.empty() ? problem.id : problem.audio;
  if (!name.empty()) {
    fmt::format_to(out, "  {}", words.verbatim(printable(name)));
  }
  fmt::format_to(out, "  {}\n", words.say(printable(problem.detail)));
}

void add_kind_text(const DatasetReport& report,
                   ProblemKind kind,
                   const DatasetTextOptions& options,
                   Out out) {
  const Words& words = options.words;
  const std::span<const DatasetProblem> problems = problems_of(report, kind);
  fmt::format_to(out,
                 "  {} ({}): {}\n",
                 words.verbatim(to_string(kind)),
                 words.count(std::ssize(problems)),
                 words.say(explain(kind)));
  const std::size_t listed =
      std::min(problems.size(), options.list_limit.value_or(problems.size()));
  for (const DatasetProblem& problem : problems.first(listed)) {
    add_problem_text(report, problem, words, out);
  }
  add_rest_text(problems.size() - listed, words, out);
}

void add_severity_text(const DatasetReport& report,
                       Severity severity,
                       const DatasetTextOptions& options,
                       Out out) {
  if (count_of(report, severity) == 0) {
    return;
  }
  fmt::format_to(out, "\n{}\n", options.words.say(heading(severity)));
  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    if (severity_of(kind) == severity && report.counts[i] > 0) {
      add_kind_text(report, kind, options, out);
    }
  }
}

}  // namespace

std::string render_text(const DatasetReport& report, const DatasetTextOptions& options) {
  const Words& words = options.words;
  const DatasetWording wording{.words = words, .clean = printable};
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "{}\n", words.say("Data set " + printable(report.root.string())));
  for (const FactLine& fact : facts_of(report, wording)) {
    fmt::format_to(out, "  {:<20}{}\n", fact.name, shown(fact.value, words));
  }
  add_histogram_text(report, options, out);
  add_characters_text(report, options, wording, out);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    add_severity_text(report, severity, options, out);
  }
  fmt::format_to(out, "\n{}\n", verdict(report, wording));
  return text;
}

}  // namespace qanat
