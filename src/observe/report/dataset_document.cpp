#include "report/dataset_document.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "locale/messages/data_set_report.h"
#include "report/run_json.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr std::size_t kShownNames = 5;
constexpr std::size_t kShownSpeakers = 100;  // of the page's table

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

MessageArg name_of(const NamedTotal& one) {
  return one.name.empty() ? MessageArg(msg::dataset_not_said{}) : MessageArg(one.name);
}
MessageArg name_of(const FormatTotal& one) {
  return one.name;
}
Json json_name(const NamedTotal& one) {
  return text_or_null(one.name);
}
Json json_name(const FormatTotal& one) {
  return Translator().tr(one.name);
}

// The first of a list, and how many more there are.
template <typename Item, typename SayFn>
MessageArg list_of(const std::vector<Item>& items, std::size_t shown, SayFn say) {
  MessageArg::List list;
  for (const Item& item : std::span(items).first(std::min(shown, items.size()))) {
    list.emplace_back(say(item));
  }
  if (items.size() <= shown) {
    return list;
  }
  return msg::dataset_list{.list = std::move(list), .more = items.size() - shown};
}

template <typename Total>
MessageArg totals_arg(const std::vector<Total>& totals) {
  return list_of(totals, kShownNames, [](const Total& one) {
    return msg::dataset_named{.name = name_of(one), .duration = one.total.duration};
  });
}

template <typename Total>
Json totals_json(const std::vector<Total>& totals) {
  Json list = Json::array();
  for (const Total& one : totals) {
    list.push_back({{"name", json_name(one)},
                    {"utterances", one.total.utterances},
                    {"seconds", one.total.duration.count()}});
  }
  return list;
}

// Without a value it is null for programs, and people do not see it.
Fact fact_of(std::string key, const Message& name, std::optional<Value> value) {
  return value ? Fact{.key = std::move(key), .name = name, .value = *std::move(value)}
               : Fact{.key = std::move(key), .value = figure_of(nullptr)};
}

Value to_value(const SetTotal& total) {
  return {msg::dataset_total{.utterances = total.utterances, .duration = total.duration},
          {{"utterances", total.utterances}, {"seconds", total.duration.count()}}};
}

Value to_value(const LengthSummary& lengths) {
  return {msg::dataset_clip_lengths{.shortest = plain(lengths.shortest.count(), 2),
                                    .median = plain(lengths.median.count(), 2),
                                    .mean = plain(lengths.mean.count(), 2),
                                    .p95 = plain(lengths.p95.count(), 2),
                                    .longest = plain(lengths.longest.count(), 2)},
          {{"min", lengths.shortest.count()},
           {"p50", lengths.median.count()},
           {"mean", lengths.mean.count()},
           {"p95", lengths.p95.count()},
           {"max", lengths.longest.count()}}};
}

Value to_value(double pace) {
  return {msg::dataset_pace_value{.pace = plain(pace, 1)}, pace};
}

template <typename T>
Fact known_fact(std::string key, const Message& name, const std::optional<T>& known) {
  return fact_of(std::move(key), name, known ? std::optional(to_value(*known)) : std::nullopt);
}

// What only a set with something in it has.
template <typename Total>
Fact totals_fact(std::string_view key, const Message& name, const std::vector<Total>& totals) {
  Fact fact{.key = std::string(key), .value = {totals_arg(totals), totals_json(totals)}};
  if (!totals.empty()) {
    fact.name = name;
  }
  return fact;
}

Fact speakers_fact(const std::vector<NamedTotal>& speakers) {
  Fact fact = totals_fact("speakers", msg::dataset_speakers{}, speakers);
  if (speakers.size() == 1 && speakers.front().name.empty()) {
    fact.value.shown = msg::dataset_no_speakers{};
  } else {
    fact.value.shown =
        msg::dataset_speaker_list{.count = speakers.size(), .list = totals_arg(speakers)};
  }
  return fact;
}

Fact limits_fact(const LengthLimits& limits) {
  const auto rate = static_cast<double>(limits.rate.value);
  const auto frames = static_cast<double>(limits.max_frames.value);
  return {.key = "limits",
          .name = msg::dataset_limits{},
          .value = {msg::dataset_limits_value{
                        .tokens = limits.max_tokens.value,
                        .frames = plain(frames, 0),
                        .longest = plain(frames * static_cast<double>(limits.hop) / rate, 1),
                        .shortest = plain(static_cast<double>(limits.min_samples.value) / rate, 2)},
                    {{"max_tokens", limits.max_tokens.value},
                     {"max_frames", limits.max_frames.value},
                     {"min_samples", limits.min_samples.value},
                     {"sample_rate", limits.rate.value},
                     {"hop", limits.hop}}}};
}

// Three figures of a share, however small.
Quantity in_three_figures(double share) {
  const double places = share > 0 ? 2 - std::floor(std::log10(100 * share)) : 0;
  return in_percent(share, std::clamp(static_cast<int>(places), 0, 6));
}

// Whether a run can use the set, and what it would lose.
Message dataset_verdict(const DatasetReport& report) {
  if (report.unusable) {
    return msg::dataset_unusable{.why = *report.unusable};
  }
  const std::int64_t warnings = count_of(report, Severity::warning);
  const Message used =
      report.dropped() == 0
          ? Message(msg::dataset_all_used{.rows = report.rows})
          : msg::dataset_not_used{.dropped = report.dropped(),
                                  .rows = report.rows,
                                  .share = in_three_figures(static_cast<double>(report.dropped()) /
                                                            static_cast<double>(report.rows))};
  return warnings == 0
             ? Message(msg::dataset_verdict{.what = used})
             : msg::dataset_verdict_warnings{
                   .what = used, .warnings = msg::dataset_num_warnings{.count = warnings}};
}

Mood dataset_mood(const DatasetReport& report) {
  if (report.unusable || count_of(report, Severity::error) > 0) {
    return Mood::error;
  }
  return count_of(report, Severity::warning) > 0 ? Mood::warning : Mood::good;
}

Section set_section(const DatasetReport& report) {
  const bool is_deep = report.depth == CheckDepth::samples;
  Section section{.title = msg::dataset_title{.folder = report.root.string()},
                  .lead = dataset_verdict(report),
                  .mood = dataset_mood(report)};
  section.facts = {
      {.key = "version", .value = figure_of(kVersion)},
      {.key = "root", .value = figure_of(report.root.string())},
      {.key = "manifests", .name = msg::dataset_manifest{}, .value = report.sources},
      {.key = "depth",
       .name = msg::dataset_looked_at{},
       .value = {is_deep ? Message(msg::dataset_samples{}) : Message(msg::dataset_headers{}),
                 is_deep ? "samples" : "headers"}},
      {.key = "rows", .name = msg::dataset_rows{}, .value = report.rows},
      fact_of("usable", msg::dataset_usable{}, to_value(report.usable)),
      {.key = "dropped", .value = figure_of(report.dropped())},
      known_fact("train", msg::dataset_train{}, report.train),
      known_fact("validation", msg::dataset_validation{}, report.validation),
      {.key = "unusable",
       .value = figure_of(report.unusable ? Json(Translator().tr(*report.unusable)) : Json())},
      speakers_fact(report.speakers),
      totals_fact("languages", msg::dataset_languages{}, report.languages),
      totals_fact("audio", msg::dataset_audio{}, report.formats),
      known_fact("length_s", msg::dataset_clip_length{}, report.lengths),
      known_fact("characters_per_second", msg::dataset_pace{}, report.characters_per_second),
      limits_fact(report.limits)};
  return section;
}

// A table that has no rows is in the JSON only.
Section titled(const Message& title, Table table) {
  Section section;
  if (!table.rows.empty()) {
    section.title = title;
  }
  section.tables.push_back(std::move(table));
  return section;
}

Section histogram_section(const DatasetReport& report) {
  Table table{.key = "histogram",
              .caption = msg::dataset_histogram_about{},
              .columns = {{.key = "from_s", .name = msg::dataset_length{}},
                          {.key = "to_s"},
                          {.key = "utterances", .name = msg::dataset_clips{}}}};
  std::int64_t most = 1;
  for (const HistogramBin& bin : report.histogram) {
    most = std::max(most, bin.count);
  }
  for (const HistogramBin& bin : report.histogram) {
    const Message name = msg::dataset_bin{.from = Quantity{.value = bin.from.count()},
                                          .to = Quantity{.value = bin.to.count()}};
    table.rows.push_back({.cells = {{name, bin.from.count()}, figure_of(bin.to.count()), bin.count},
                          .bar = static_cast<double>(bin.count) / static_cast<double>(most)});
  }
  return titled(msg::dataset_histogram{}, std::move(table));
}

void add_rest(std::size_t all, std::size_t shown, Section& section) {
  if (all > shown) {
    section.remarks.emplace_back(msg::dataset_rest{.count = all - shown});
  }
}

Section characters_section(const DatasetReport& report, std::size_t limit) {
  Table table{
      .key = "unknown_characters",
      .columns = {{.key = "character", .name = msg::dataset_character{}, .kind = CellKind::text},
                  {.key = "occurrences", .name = msg::dataset_occurrences{}},
                  {.key = "utterances", .name = msg::dataset_utterances{}},
                  {.key = "first", .name = msg::dataset_first{}, .kind = CellKind::text}}};
  const std::size_t all = report.unknown_characters.size();
  const std::size_t shown = std::min(all, limit);
  for (const UnknownCharacter& one : std::span(report.unknown_characters).first(shown)) {
    const std::string& manifest = report.sources.at(one.source);
    table.rows.push_back(
        {.cells = {one.name,
                   one.occurrences,
                   one.utterances,
                   {fmt::format("{}:{} {}", manifest, one.line, one.id),
                    {{"manifest", manifest}, {"line", one.line}, {"id", one.id}}}}});
  }
  Section section = titled(msg::dataset_characters{}, std::move(table));
  add_rest(all, shown, section);
  return section;
}

std::vector<Column> problem_columns() {
  return {
      {.name = msg::dataset_place{}, .kind = CellKind::text},
      {.name = msg::dataset_file{}, .kind = CellKind::text},
      {.key = "severity"},
      {.key = "kind"},
      {.key = "manifest"},
      {.key = "line"},
      {.key = "id"},
      {.key = "audio"},
      {.key = "detail", .name = msg::dataset_what{}, .kind = CellKind::text},
      {.key = "text", .name = msg::dataset_text{}, .kind = CellKind::text, .on_pages_only = true},
      {.name = msg::dataset_listen_to{}, .kind = CellKind::audio, .on_pages_only = true}};
}

Row problem_row(const DatasetReport& report, const DatasetProblem& problem) {
  const std::string& manifest = report.sources.at(problem.source);
  const std::string& name = problem.audio.empty() ? problem.id : problem.audio;
  return {.cells = {problem.line == 0 ? manifest : fmt::format("{}:{}", manifest, problem.line),
                    name.empty() ? Value() : Value(name),
                    figure_of(to_string(severity_of(problem.kind))),
                    figure_of(to_string(problem.kind)),
                    figure_of(manifest),
                    figure_of(problem.line == 0 ? Json() : Json(problem.line)),
                    figure_of(text_or_null(problem.id)),
                    figure_of(text_or_null(problem.audio)),
                    problem.detail,
                    problem.text.empty() ? Value() : Value(problem.text),
                    problem.audio.empty() ? Value() : Value(problem.audio)}};
}

struct SeverityLook {
  Message heading;
  Mood mood = Mood::none;
  Fold fold = Fold::open;
};

SeverityLook look_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return {.heading = msg::dataset_errors{}, .mood = Mood::error};
    case Severity::warning:
      return {.heading = msg::dataset_warnings{}, .mood = Mood::warning};
    case Severity::note:
      return {.heading = msg::dataset_notes{}, .mood = Mood::note, .fold = Fold::closed};
  }
  return {};
}

Section kind_section(const DatasetReport& report, ProblemKind kind, std::size_t limit) {
  const std::span<const DatasetProblem> problems = problems_of(report, kind);
  const std::size_t shown = std::min(problems.size(), limit);
  const SeverityLook look = look_of(severity_of(kind));
  Section section{.title = msg::dataset_kind{.kind = title_of(kind), .count = problems.size()},
                  .lead = explain(kind),
                  .tables = {{.key = "problems", .columns = problem_columns()}},
                  .mood = look.mood,
                  .fold = look.fold};
  for (const DatasetProblem& problem : problems.first(shown)) {
    section.tables.front().rows.push_back(problem_row(report, problem));
  }
  add_rest(problems.size(), shown, section);
  return section;
}

void add_problems(const DatasetReport& report, std::size_t limit, Document& document) {
  Json counts = Json::object();
  std::optional<Severity> said;
  std::vector<Section> sections;
  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    if (report.counts.at(i) == 0) {
      continue;
    }
    counts[std::string(to_string(kind))] = report.counts.at(i);
    if (said != severity_of(kind)) {
      said = severity_of(kind);
      sections.push_back({.title = look_of(*said).heading});
    }
    sections.push_back(kind_section(report, kind, limit));
  }
  document.sections.push_back(
      {.facts = {{.key = "counts", .value = figure_of(counts)}}, .tables = {{.key = "problems"}}});
  std::ranges::move(sections, std::back_inserter(document.sections));
}

Section speakers_section(const DatasetReport& report) {
  const std::size_t count = report.speakers.size();
  Table table{.caption = msg::dataset_speakers_about{.count = count},
              .columns = {{.name = msg::dataset_speaker{}, .kind = CellKind::text},
                          {.name = msg::dataset_utterances{}},
                          {.name = msg::dataset_speech{}}}};
  for (const NamedTotal& one : std::span(report.speakers).first(std::min(kShownSpeakers, count))) {
    table.rows.push_back({.cells = {name_of(one), one.total.utterances, one.total.duration}});
  }
  Section section{
      .title = msg::dataset_speakers_title{}, .tables = {std::move(table)}, .on_pages_only = true};
  if (count > kShownSpeakers) {
    section.remarks.emplace_back(msg::dataset_more{.count = count - kShownSpeakers});
  }
  return section;
}

// Pages have players instead of the table.
Section clips_section(const DatasetReport& report) {
  Table table{.key = "clips",
              .columns = {{.key = "kind"},
                          {.key = "id"},
                          {.key = "audio"},
                          {.key = "seconds"},
                          {.key = "characters_per_second"},
                          {.key = "text"}}};
  for (const NotableClip& clip : report.clips) {
    table.rows.push_back({.cells = {figure_of(to_string(clip.kind)),
                                    figure_of(clip.id),
                                    figure_of(clip.audio),
                                    figure_of(clip.length.count()),
                                    figure_of(clip.characters_per_second),
                                    figure_of(clip.text)}});
  }
  Section section;
  section.tables.push_back(std::move(table));
  return section;
}

Json notes_json(const DatasetReport& report) {
  Json notes = Json::array();
  for (const MessageArg& note : report.notes) {
    notes.push_back(Translator().said(note));
  }
  return notes;
}

}  // namespace

Document to_document(const DatasetReport& report, std::optional<std::size_t> list_limit) {
  const std::size_t limit = list_limit.value_or(std::numeric_limits<std::size_t>::max());
  Document document;
  document.sections = {set_section(report),
                       histogram_section(report),
                       clips_section(report),
                       characters_section(report, limit)};
  add_problems(report, limit, document);
  if (report.speakers.size() > 1) {
    document.sections.push_back(speakers_section(report));
  }
  document.sections.push_back(
      {.facts = {{.key = "notes", .value = figure_of(notes_json(report))}}});
  return document;
}

}  // namespace qanat
