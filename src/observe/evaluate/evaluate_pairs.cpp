#include "evaluate/evaluate_pairs.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "evaluate/clip_analysis.h"
#include "evaluate/clip_folder.h"
#include "evaluate/pair_measures.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

using ClipMap = std::map<std::string, std::vector<std::filesystem::path>>;

struct Folders {
  ClipMap reference;
  ClipMap made;
  ClipMap baseline{};
};

// One name and its files; those that are missing or double are problems already.
struct PairItem {
  std::string name;
  std::optional<std::filesystem::path> reference{};
  std::optional<std::filesystem::path> made{};
  std::optional<std::filesystem::path> baseline{};
  std::vector<ClipProblem> problems{};
  std::optional<UtteranceResult> result{};
};

std::optional<std::filesystem::path> file_of(const ClipMap& clips, PairItem& item, Voice voice) {
  const auto found = clips.find(item.name);
  if (found == clips.end()) {
    item.problems.push_back({item.name, voice, msg::evaluate_missing{}});
    return std::nullopt;
  }
  if (found->second.size() > 1) {
    item.problems.push_back(
        {item.name, voice, msg::evaluate_same_name{.count = found->second.size()}});
    return std::nullopt;
  }
  return found->second.front();
}

ClipMap recordings_of(const EvaluationRequest& request) {
  ClipMap clips;
  for (const std::filesystem::path& file : request.recordings) {
    clips[file.stem().string()].push_back(file);
  }
  return request.reference && clips.empty() ? clips_in(*request.reference) : clips;
}

std::vector<PairItem> pair_items(const EvaluationRequest& request) {
  Folders folders{.reference = recordings_of(request), .made = clips_in(request.made)};
  if (request.baseline) {
    folders.baseline = clips_in(*request.baseline);
  }
  std::set<std::string> names;
  for (const ClipMap* clips : {&folders.reference, &folders.made, &folders.baseline}) {
    for (const auto& [name, files] : *clips) {
      names.insert(name);
    }
  }
  if (!request.only.empty()) {
    std::erase_if(names, [&](const std::string& name) { return !request.only.contains(name); });
  }
  std::vector<PairItem> items;
  for (const std::string& name : names) {
    PairItem item{.name = name};
    if (request.reference) {
      item.reference = file_of(folders.reference, item, Voice::reference);
    }
    item.made = file_of(folders.made, item, Voice::made);
    if (request.baseline) {
      item.baseline = file_of(folders.baseline, item, Voice::baseline);
    }
    items.push_back(std::move(item));
  }
  return items;
}

void put(Measure measure, std::optional<double> value, Scores& scores) {
  if (value) {
    scores.at(static_cast<std::size_t>(measure)) = Weighted{.value = *value};
  }
}

Scores scores_of(const PairMeasures& measures) {
  Scores scores;
  put(Measure::mcd, measures.mcd, scores);
  put(Measure::log_mel, measures.log_mel, scores);
  put(Measure::pitch_cents, measures.pitch_cents, scores);
  put(Measure::pitch_hertz, measures.pitch_hertz, scores);
  put(Measure::voicing_error, measures.voicing_error, scores);
  put(Measure::duration_error, measures.duration_error, scores);
  return scores;
}

std::optional<ClipAnalysis> analysed(ClipAnalyser& analyser,
                                     const std::optional<std::filesystem::path>& file,
                                     Voice voice,
                                     PairItem& item) {
  if (!file) {
    return std::nullopt;
  }
  Result<ClipAnalysis> clip = analyser.analyse(*file);
  if (!clip) {
    item.problems.push_back({item.name, voice, reason_of(clip.failure())});
    return std::nullopt;
  }
  return std::move(clip).value();
}

// Without a recording: what a clip says of itself.
ClipResult result_of(const std::filesystem::path& file,
                     const ClipAnalysis& clip,
                     const std::optional<ClipAnalysis>& reference) {
  ClipResult result{.file = file, .duration = clip.duration};
  if (reference) {
    result.scores = scores_of(compare_clips(*reference, clip));
  }
  return result;
}

// What was measured while a model of ours spoke.
void put_speed(const std::optional<SpokenBy>& by, const std::string& name, ClipResult& clip) {
  if (!by) {
    return;
  }
  put(Measure::length, clip.duration.count(), clip.scores);
  if (const auto factor = by->real_time_factors.find(name); factor != by->real_time_factors.end()) {
    put(Measure::real_time_factor, factor->second, clip.scores);
  }
}

void compare(ClipAnalyser& analyser, const EvaluationRequest& request, PairItem& item) {
  if (!item.made || (request.reference && !item.reference)) {
    return;  // nothing to compare: it is named already, and reading it would take its time
  }
  // All are read, so that every file that cannot be is named at once.
  const auto reference = analysed(analyser, item.reference, Voice::reference, item);
  const auto made = analysed(analyser, item.made, Voice::made, item);
  const auto baseline = analysed(analyser, item.baseline, Voice::baseline, item);
  if (!made || (request.reference && !reference)) {
    return;
  }
  UtteranceResult result{.name = item.name};
  if (reference) {
    result.reference = ClipResult{.file = *item.reference, .duration = reference->duration};
    if (request.made_by) {
      put(Measure::length, reference->duration.count(), result.reference->scores);
    }
  }
  result.made = result_of(*item.made, *made, reference);
  put_speed(request.made_by, item.name, result.made);
  if (baseline) {
    result.baseline = result_of(*item.baseline, *baseline, reference);
    put_speed(request.baseline_by, item.name, *result.baseline);
  }
  item.result = std::move(result);
}

}  // namespace

std::optional<Evaluation> evaluate_pairs(const EvaluationRequest& request) {
  std::vector<PairItem> items = pair_items(request);
  ParallelOptions parallel{.threads = request.threads, .progress = {}, .stop = request.stop};
  if (request.progress) {
    parallel.progress = request.progress(msg::evaluate_comparing{}, msg::progress_utterances{});
  }
  std::vector<ClipAnalyser> analysers(static_cast<std::size_t>(num_threads(parallel)));
  const bool done = for_each_item(items.size(), parallel, [&](int worker, std::size_t at) {
    compare(analysers[static_cast<std::size_t>(worker)], request, items[at]);
  });
  if (!done) {
    return std::nullopt;
  }
  Evaluation evaluation{.reference = request.reference,
                        .made = request.made,
                        .baseline = request.baseline,
                        .made_by = request.made_by,
                        .baseline_by = request.baseline_by};
  for (PairItem& item : items) {
    for (ClipProblem& problem : item.problems) {
      evaluation.problems.push_back(std::move(problem));
    }
    if (item.result) {
      if (const auto text = request.texts.find(item.name); text != request.texts.end()) {
        item.result->text = text->second.text;
      }
      evaluation.utterances.push_back(*std::move(item.result));
    }
  }
  return evaluation;
}

}  // namespace qanat
