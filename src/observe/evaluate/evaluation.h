// What a folder of synthesized clips is worth beside the recordings of the same sentences, clip by
// clip; and beside those of another system. Values; evaluate() makes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/for_each_item.h"
#include "base/language_tag.h"
#include "base/message.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/time.h"
#include "evaluate/judge.h"
#include "evaluate/statistics.h"

namespace qanat {

// In the order reports show them.
enum class Measure : std::uint8_t {
  mcd,
  log_mel,
  pitch_cents,
  pitch_hertz,
  voicing_error,
  duration_error,
  length,
  real_time_factor,
  word_errors,
  speaker_similarity,
  quality,
};
inline constexpr std::size_t kNumMeasures = 11;

enum class Better { lower, higher, neither };
enum class Shown { number, share };

struct MeasureFacts {
  std::string_view key;  // in JSON
  Message name;          // with its unit
  Better better = Better::lower;
  Shown shown = Shown::number;
};
MeasureFacts facts_of(Measure measure);

// Whose clip it is.
enum class Voice { reference, made, baseline };
std::string_view to_string(Voice voice);

using Scores = std::array<std::optional<Weighted>, kNumMeasures>;

struct ClipResult {
  std::filesystem::path file;
  Seconds duration{0};
  Scores scores{};                     // the recording has those that need no recording beside it
  std::optional<std::string> heard{};  // by --word-errors
};

struct UtteranceResult {
  std::string name;  // of the file, without extension
  std::optional<std::string> text{};
  std::optional<ClipResult> reference{};  // absent: there are no recordings
  ClipResult made{};
  std::optional<ClipResult> baseline{};  // absent: none was asked for, or it is among the problems
};

// A file that is not in the figures, or not in all of them, and why.
struct ClipProblem {
  std::string name;
  Voice voice = Voice::made;
  MessageArg why;
};

// Who synthesized clips, where that is known: a model of ours.
struct SpokenBy {
  std::filesystem::path checkpoint;
  std::int64_t step = 0;
  std::string vocoder;
  double audio_s = 0;
  double work_s = 0;                                  // model and vocoder
  std::map<std::string, double> real_time_factors{};  // by name of the clip
};

struct Evaluation {
  std::optional<std::filesystem::path> reference{};  // absent: there are no recordings
  std::filesystem::path made;
  std::optional<std::filesystem::path> baseline{};
  std::optional<SpokenBy> made_by{};
  std::optional<SpokenBy> baseline_by{};
  std::vector<UtteranceResult> utterances{};  // by name
  std::vector<ClipProblem> problems{};        // by name
};

struct EvaluatedText {
  std::string text;
  LanguageTag language;
};

struct EvaluationRequest {
  std::optional<std::filesystem::path> reference{};  // absent: there are no recordings
  std::filesystem::path made;
  std::optional<std::filesystem::path> baseline{};
  std::vector<std::filesystem::path> recordings{};  // instead of all files of `reference`
  std::set<std::string> only{};                     // names that count; empty: all
  std::optional<SpokenBy> made_by{};
  std::optional<SpokenBy> baseline_by{};
  std::map<std::string, EvaluatedText> texts{};  // by name of the file, without extension
  std::optional<JudgeCommand> word_errors{};
  std::optional<JudgeCommand> speaker_similarity{};
  std::optional<JudgeCommand> quality{};
  int threads = 0;  // 0: one per core
  StartProgressFn progress{};
  std::stop_token stop{};
};

// Files of the same name without extension belong together. Without recordings, clips have the
// measures that need none. Every file of a folder is in the
// result: as a clip, or among the problems. Nothing when stopped. Throws Error when a folder cannot
// be read or a command fails.
std::optional<Evaluation> evaluate(const EvaluationRequest& request);

struct MeasureSummary {
  Measure measure = Measure::mcd;
  std::optional<Estimate> reference{};
  std::optional<Estimate> made{};
  std::optional<Estimate> baseline{};
  std::optional<PairedDifference> difference{};  // made less baseline, of utterances that have both
};

// Summarises the measures that any clip has.
std::vector<MeasureSummary> summarise(const Evaluation& evaluation);

// Below it a difference counts.
inline constexpr double kSignificance = 0.01;

enum class Outcome { better, worse, different, undecided };
Outcome outcome_of(const MeasureSummary& summary);  // of one with a difference

}  // namespace qanat
