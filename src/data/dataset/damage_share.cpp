#include "dataset/damage_share.h"

#include <fmt/format.h>

#include "locale/messages/data_set_errors.h"

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

}  // namespace

bool is_damage(const DatasetProblem& problem) {
  return severity_of(problem.kind) == Severity::error && !is_refused_for_length(problem.kind);
}

DamageShare damage_share(std::int64_t used, std::span<const DatasetProblem> problems) {
  DamageShare share{.all = used};
  for (const DatasetProblem& problem : problems) {
    share.all += severity_of(problem.kind) == Severity::error ? 1 : 0;
    if (is_damage(problem)) {
      ++share.damaged;
      share.latest = &problem;
    }
  }
  return share;
}

std::optional<Message> why_too_damaged(const Manifest& manifest,
                                       const DamageShare& share,
                                       double max_bad_fraction) {
  if (share.latest == nullptr || share.value() <= max_bad_fraction) {
    return std::nullopt;
  }
  const DatasetProblem& latest = *share.latest;
  return msg::set_too_damaged{.damaged = share.damaged,
                              .all = share.all,
                              .share = in_percent(share.value(), 1),
                              .folder = manifest.root.string(),
                              .limit = in_percent(max_bad_fraction, 1),
                              .line = plain(latest.line, 0),
                              .name = latest.audio.empty() ? latest.id : latest.audio,
                              .detail = latest.detail};
}

}  // namespace qanat
