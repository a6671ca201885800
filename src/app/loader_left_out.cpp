#include "app/loader_left_out.h"

#include <filesystem>

#include "base/error.h"
#include "dataset/damage_share.h"

namespace qanat {
namespace {

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
  for (const DatasetProblem& problem : manifest.problems) {
    if (journal != nullptr && severity_of(problem.kind) == Severity::error) {
      journal->record(to_event(manifest, problem));
    }
  }
  const DamageShare share =
      damage_share(static_cast<std::int64_t>(manifest.utterances.size()), manifest.problems);
  if (const auto why = why_too_damaged(manifest, share, max_bad_fraction)) {
    throw Error(*why);
  }
}

}  // namespace qanat
