// The frame of the commands that profile: progress while it is measured, then the report, or why
// there is none.
//
//   return run_profile(context, report_, {.label = ..., .unit = ..., .stopped = ...},
//                      [&](StageLines& lines, const ProgressFn& progress) { ... });
#pragma once

#include <optional>
#include <span>

#include "cli/command.h"
#include "cli/progress_line.h"
#include "cli/report_flags.h"
#include "diagnose/dual_profile.h"
#include "diagnose/step_profile.h"
#include "report/profile_report.h"

namespace qanat {

// What a profile was judged by; nothing when it measured too little to judge.
using Judged = std::optional<std::span<const Finding>>;

inline Judged judged(const DataProfile& profile) {
  return profile.diagnosis ? std::span<const Finding>(profile.diagnosis->findings)
                           : std::span<const Finding>();
}
inline Judged judged(const StepProfile& profile) {
  return profile.diagnosis.verdict == VerdictKind::incomplete ? Judged()
                                                              : profile.diagnosis.findings;
}
inline Judged judged(const DualProfile& profile) {
  return profile.verdict == DualVerdict::incomplete ? Judged() : profile.diagnosis.findings;
}

struct ProfileWords {
  Message label;    // what is done
  Message unit;     // what is counted
  Message stopped;  // when there is nothing to report
};

// `measure` gives nothing when it was stopped too early.
template <typename Measure>
ExitCode run_profile(const CommandContext& context,
                     const ReportFlags& report,
                     const ProfileWords& words,
                     const Measure& measure) {
  StageLines lines(context);
  const auto profile = measure(lines, lines.start(words.label, words.unit));
  lines.finish();
  if (!profile) {
    tell(context, words.stopped);
    return ExitCode::cannot_measure;
  }
  report.print(context.out, to_document(*profile));
  const Judged findings = judged(*profile);
  return findings ? report.exit_code(*findings) : ExitCode::cannot_measure;
}

}  // namespace qanat
