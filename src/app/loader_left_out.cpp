#include "app/loader_left_out.h"

#include <filesystem>

#include "base/error.h"

namespace qanat {
namespace {

bool is_refused_for_length(ProblemKind kind) {
  switch (kind) {
    case ProblemKind::text_too_long:
    case ProblemKind::audio_too_long:
    case ProblemKind::audio_too_short:
    case ProblemKind::more_tokens_than_frames:
      return true;
    default:
      return false;
  }
}

Event to_event(const Manifest& manifest, const DatasetProblem& problem) {
  const bool has_file = !problem.audio.empty();
  return {.kind = "left_out",
          .fields = {{"id", problem.id},
                     {"file", has_file ? (manifest.root / problem.audio).string() : ""},
                     {"manifest", manifest.sources.at(problem.source)},
                     {"line", problem.line},
                     {"problem", to_string(problem.kind)},
                     {"reason", problem.detail}}};
}

}  // namespace

void report_left_out(const UtteranceSet& set, double max_bad_fraction, EventSink* journal) {
  const Manifest& manifest = set.manifest;
  std::size_t left_out = 0;
  const DatasetProblem* latest = nullptr;
  std::size_t damaged = 0;
  for (const DatasetProblem& problem : manifest.problems) {
    if (severity_of(problem.kind) != Severity::error) {
      continue;
    }
    ++left_out;
    if (journal != nullptr) {
      journal->record(to_event(manifest, problem));
    }
    if (!is_refused_for_length(problem.kind)) {
      ++damaged;
      latest = &problem;
    }
  }
  const std::size_t all = manifest.utterances.size() + left_out;
  const double share = all == 0 ? 0 : static_cast<double>(damaged) / static_cast<double>(all);
  if (latest != nullptr && share > max_bad_fraction) {
    throw Error(
        "damaged utterances: {} of {} ({:.1f} %) in {}; expected at most {:.1f} % "
        "(max_bad_fraction); the last: line {}, {}: {}; try `qanat data check`, which lists them "
        "all",
        damaged,
        all,
        100 * share,
        manifest.root.string(),
        100 * max_bad_fraction,
        latest->line,
        latest->audio.empty() ? latest->id : latest->audio,
        latest->detail);
  }
}

}  // namespace qanat
