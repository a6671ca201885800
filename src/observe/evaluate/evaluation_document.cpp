#include "evaluate/evaluation_document.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "qanat.evaluation";

Value mean_value(const std::optional<Estimate>& estimate, Measure measure) {
  if (!estimate) {
    return {std::nullopt, nullptr};
  }
  return {msg::evaluate_mean{.mean = shown_score(estimate->mean, measure),
                             .low = shown_score(estimate->interval.low, measure),
                             .high = shown_score(estimate->interval.high, measure)},
          {{"mean", estimate->mean},
           {"low", estimate->interval.low},
           {"high", estimate->interval.high},
           {"clips", estimate->count}}};
}

Value difference_value(const MeasureSummary& summary) {
  Value value =
      mean_value(summary.difference ? std::optional(summary.difference->change) : std::nullopt,
                 summary.measure);
  if (summary.difference) {
    (*value.figure)["p_value"] = summary.difference->p_value;
  }
  return value;
}

Value outcome_value(const MeasureSummary& summary) {
  if (!summary.difference) {
    return {};
  }
  switch (outcome_of(summary)) {
    case Outcome::better:
      return {msg::evaluate_better{}, "better"};
    case Outcome::worse:
      return {msg::evaluate_worse{}, "worse"};
    case Outcome::different:
      return {msg::evaluate_different{}, "different"};
    case Outcome::undecided:
      return {msg::evaluate_undecided{}, "undecided"};
  }
  return {};
}

Value p_shown(const MeasureSummary& summary) {
  if (!summary.difference) {
    return {};
  }
  const double p = summary.difference->p_value;
  return p < 0.0001 ? Value(msg::evaluate_small_p{.limit = plain(0.0001, 4)})
                    : Value(plain(p, p < 0.01 ? 4 : 2));
}

// Without a second system its columns are null for programs, and people do not see them.
Column voice_column(std::string key, const Message& name, bool is_shown) {
  return is_shown ? Column{.key = std::move(key), .name = name} : Column{.key = std::move(key)};
}

bool hears_reference(const std::vector<MeasureSummary>& summaries) {
  return std::ranges::any_of(summaries,
                             [](const MeasureSummary& one) { return one.reference.has_value(); });
}

Value better_figure(Better better) {
  switch (better) {
    case Better::lower:
      return figure_of("lower");
    case Better::higher:
      return figure_of("higher");
    case Better::neither:
      break;
  }
  return figure_of(nullptr);
}

// So few clips cannot decide, whatever they say: the smallest p of so many signs is too large.
std::optional<Message> why_undecidable(const std::vector<MeasureSummary>& summaries) {
  std::size_t most = 0;
  for (const MeasureSummary& one : summaries) {
    most = std::max(most, one.difference ? one.difference->change.count : 0);
  }
  std::size_t least = 1;
  while (smallest_p_value(least) >= kSignificance) {
    ++least;
  }
  if (most == 0 || most >= least) {
    return std::nullopt;
  }
  return msg::evaluate_too_few{.clips = most,
                               .smallest = plain(smallest_p_value(most), 3),
                               .limit = plain(kSignificance, 2),
                               .least = least};
}

Section measures_section(const Evaluation& evaluation) {
  const std::vector<MeasureSummary> summaries = summarise(evaluation);
  const bool has_baseline = evaluation.baseline.has_value();
  Table table{
      .key = "measures",
      .columns = {{.key = "measure", .name = msg::evaluate_measure{}, .kind = CellKind::text},
                  {.key = "better"},
                  voice_column("reference", msg::evaluate_reference{}, hears_reference(summaries)),
                  {.key = "made", .name = msg::evaluate_made{}},
                  voice_column("baseline", msg::evaluate_baseline{}, has_baseline),
                  voice_column("difference", msg::evaluate_difference{}, has_baseline),
                  voice_column("", msg::evaluate_p_value{}, has_baseline),
                  {.key = "outcome", .kind = CellKind::text}}};
  if (has_baseline) {
    table.columns.back().name = msg::evaluate_outcome{};
  }
  for (const MeasureSummary& one : summaries) {
    const MeasureFacts facts = facts_of(one.measure);
    table.rows.push_back({.cells = {{facts.name, std::string(facts.key)},
                                    better_figure(facts.better),
                                    mean_value(one.reference, one.measure),
                                    mean_value(one.made, one.measure),
                                    mean_value(one.baseline, one.measure),
                                    difference_value(one),
                                    p_shown(one),
                                    outcome_value(one)}});
  }
  Section section{.title = msg::evaluate_measures{}, .tables = {std::move(table)}};
  if (!summaries.empty()) {
    section.remarks.emplace_back(msg::evaluate_intervals{});
  }
  if (has_baseline) {
    section.remarks.emplace_back(msg::evaluate_paired{.limit = plain(kSignificance, 2)});
    if (const std::optional<Message> why = why_undecidable(summaries)) {
      section.remarks.emplace_back(*why);
    }
  }
  return section;
}

Json clip_json(const ClipResult& clip) {
  Json object = {{"file", clip.file.string()}, {"seconds", clip.duration.count()}};
  for (std::size_t i = 0; i < kNumMeasures; ++i) {
    if (const std::optional<Weighted>& score = clip.scores.at(i)) {
      object[std::string(facts_of(static_cast<Measure>(i)).key)] = score->value;
    }
  }
  if (clip.heard) {
    object["heard"] = *clip.heard;
  }
  return object;
}

// The measures that stand beside a clip's name in a terminal.
std::vector<Measure> listed_measures(const Evaluation& evaluation) {
  std::vector<Measure> measures;
  for (const MeasureSummary& one : summarise(evaluation)) {
    if (one.made && one.measure != Measure::pitch_hertz && one.measure != Measure::log_mel) {
      measures.push_back(one.measure);
    }
  }
  return measures;
}

Row clip_row(const UtteranceResult& one, const std::vector<Measure>& measures) {
  Row row{.cells = {one.name,
                    figure_of(one.text ? Json(*one.text) : Json()),
                    figure_of(one.reference ? clip_json(*one.reference) : Json()),
                    figure_of(clip_json(one.made)),
                    figure_of(one.baseline ? clip_json(*one.baseline) : Json())}};
  for (const Measure measure : measures) {
    const std::optional<Weighted>& score = one.made.scores.at(static_cast<std::size_t>(measure));
    Value& cell = row.cells.emplace_back();
    if (score) {
      cell = shown_score(score->value, measure);
    }
  }
  return row;
}

Section clips_section(const Evaluation& evaluation, std::optional<std::size_t> limit) {
  const std::vector<Measure> measures = listed_measures(evaluation);
  Table table{.key = "utterances",
              .columns = {{.key = "name", .name = msg::evaluate_clip{}, .kind = CellKind::text},
                          {.key = "text"},
                          {.key = "reference"},
                          {.key = "made"},
                          {.key = "baseline"}}};
  for (const Measure measure : measures) {
    table.columns.push_back({.name = facts_of(measure).name});
  }
  const std::size_t all = evaluation.utterances.size();
  const std::size_t shown = std::min(all, limit.value_or(all));
  if (limit) {
    const std::vector<const UtteranceResult*> worst = worst_first(evaluation);
    for (std::size_t i = 0; i < shown; ++i) {
      table.rows.push_back(clip_row(*worst[i], measures));
    }
  } else {
    for (const UtteranceResult& one : evaluation.utterances) {
      table.rows.push_back(clip_row(one, measures));
    }
  }
  Section section{.tables = {std::move(table)}};
  if (all > 0) {
    section.title = msg::evaluate_clips{};
  }
  if (all > shown) {
    section.remarks.emplace_back(msg::evaluate_more_clips{.count = all - shown});
  }
  return section;
}

Section problems_section(const Evaluation& evaluation) {
  Table table{.key = "problems",
              .columns = {{.key = "name", .name = msg::evaluate_clip{}, .kind = CellKind::text},
                          {.key = "voice", .name = msg::evaluate_whose{}, .kind = CellKind::text},
                          {.key = "why", .name = msg::evaluate_why{}, .kind = CellKind::text}}};
  for (const ClipProblem& problem : evaluation.problems) {
    table.rows.push_back(
        {.cells = {
             problem.name, {voice_name(problem.voice), to_string(problem.voice)}, problem.why}});
  }
  Section section{.tables = {std::move(table)}, .mood = Mood::warning};
  if (!evaluation.problems.empty()) {
    section.title = msg::evaluate_problems{.count = evaluation.problems.size()};
    section.fold = Fold::open;
  }
  return section;
}

Json by_json(const std::optional<SpokenBy>& by) {
  return by ? Json{{"checkpoint", by->checkpoint.string()},
                   {"step", by->step},
                   {"vocoder", by->vocoder},
                   {"audio_s", by->audio_s},
                   {"work_s", by->work_s}}
            : Json();
}

// The folder of the clips, and the model that spoke them.
std::vector<Fact> voice_facts(const std::string& key,
                              const Message& name,
                              const std::optional<std::filesystem::path>& folder,
                              const std::optional<SpokenBy>& by) {
  std::vector<Fact> facts;
  if (!folder) {
    facts.push_back({.key = key, .value = figure_of(nullptr)});
  } else {
    facts.push_back({.key = key, .name = name, .value = folder->string()});
  }
  if (by) {
    facts.push_back({.key = key + "_by",
                     .name = msg::evaluate_spoken_by{.voice = name},
                     .value = {msg::evaluate_spoken_by_is{.checkpoint = by->checkpoint.string(),
                                                          .step = by->step,
                                                          .vocoder = by->vocoder},
                               by_json(by)}});
  } else {
    facts.push_back({.key = key + "_by", .value = figure_of(nullptr)});
  }
  return facts;
}

Message lead_of(const Evaluation& evaluation) {
  const std::size_t clips = evaluation.utterances.size();
  const std::size_t problems = evaluation.problems.size();
  if (clips == 0) {
    return msg::evaluate_nothing{.problems = problems};
  }
  const Message counted = msg::evaluate_problems{.count = problems};
  if (evaluation.reference) {
    return problems == 0 ? Message(msg::evaluate_all{.clips = clips})
                         : Message(msg::evaluate_some{.clips = clips, .problems = counted});
  }
  return problems == 0 ? Message(msg::evaluate_all_alone{.clips = clips})
                       : Message(msg::evaluate_some_alone{.clips = clips, .problems = counted});
}

Section summary_section(const Evaluation& evaluation) {
  const std::size_t clips = evaluation.utterances.size();
  Section section{.title = title_of(evaluation),
                  .mood = clips == 0                    ? Mood::error
                          : evaluation.problems.empty() ? Mood::good
                                                        : Mood::warning};
  section.lead = lead_of(evaluation);
  const auto add = [&](std::vector<Fact> facts) {
    section.facts.insert(section.facts.end(), facts.begin(), facts.end());
  };
  if (evaluation.reference) {
    section.facts.push_back({.key = "reference",
                             .name = msg::evaluate_reference{},
                             .value = evaluation.reference->string()});
  } else {
    section.facts.push_back({.key = "reference", .value = figure_of(nullptr)});
  }
  add(voice_facts("made", msg::evaluate_made{}, evaluation.made, evaluation.made_by));
  add(voice_facts(
      "baseline", msg::evaluate_baseline{}, evaluation.baseline, evaluation.baseline_by));
  section.facts.push_back({.key = "clips", .value = figure_of(clips)});
  return section;
}

}  // namespace

MessageArg shown_score(double value, Measure measure) {
  if (facts_of(measure).shown == Shown::share) {
    return in_percent(value, 1);
  }
  const bool is_large = measure == Measure::pitch_cents || measure == Measure::pitch_hertz;
  return plain(value, is_large ? 1 : 2);
}

Message title_of(const Evaluation& evaluation) {
  return msg::evaluate_title{.made = evaluation.made_by ? evaluation.made_by->checkpoint.string()
                                                        : evaluation.made.string()};
}

MessageArg voice_name(Voice voice) {
  switch (voice) {
    case Voice::reference:
      return msg::evaluate_reference{};
    case Voice::made:
      return msg::evaluate_made{};
    case Voice::baseline:
      return msg::evaluate_baseline{};
  }
  return "";
}

std::vector<const UtteranceResult*> worst_first(const Evaluation& evaluation) {
  std::vector<const UtteranceResult*> clips;
  for (const UtteranceResult& one : evaluation.utterances) {
    clips.push_back(&one);
  }
  const auto distortion = [](const UtteranceResult* one) {
    const std::optional<Weighted>& score =
        one->made.scores.at(static_cast<std::size_t>(Measure::mcd));
    return score ? score->value : 0.0;
  };
  std::ranges::stable_sort(clips, std::ranges::greater(), distortion);
  return clips;
}

Document to_document(const Evaluation& evaluation, std::optional<std::size_t> list_limit) {
  return {.schema = std::string(kSchema),
          .sections = {summary_section(evaluation),
                       measures_section(evaluation),
                       clips_section(evaluation, list_limit),
                       problems_section(evaluation)}};
}

}  // namespace qanat
