// What can be wrong with a data set, each with its severity and the words for it. Values; the
// names are what `qanat data check --json` prints.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/message.h"
#include "base/result.h"

namespace qanat {

enum class Severity {
  note,     // worth knowing
  warning,  // kept, but probably not what was meant
  error,    // the utterance is not used
};

std::string_view to_string(Severity severity);

// In the order reports list them.
enum class ProblemKind : std::uint8_t {
  // of a row of the manifest
  wrong_columns,
  invalid_utf8,
  bad_id,
  empty_text,
  unknown_language,
  duplicate_id,
  missing_audio,
  damaged_archive,
  // of the lengths
  unreadable_audio,
  untokenizable_text,
  text_too_long,
  audio_too_long,
  audio_too_short,
  more_tokens_than_frames,
  changed_since_view,
  // of the sound
  damaged_audio,
  silence,
  clipping,
  repeated_audio,
  // of both
  unusual_pace,
  set_pace,
  unknown_characters,
  // facts
  left_out,
  other_rate,
  several_channels,
  layout,
  column_order,
  unused_column,
  unused_file,
};

inline constexpr std::size_t kNumProblemKinds =
    static_cast<std::size_t>(ProblemKind::unused_file) + 1;

std::string_view to_string(ProblemKind kind);
Severity severity_of(ProblemKind kind);
// A short sentence for people: what it is, and what to do about it.
Message explain(ProblemKind kind);
// "Missing audio"
Message title_of(ProblemKind kind);

// What went wrong, without the path of the file that stands beside it.
MessageArg reason_of(const Failure& failure, const std::filesystem::path& path);

struct DatasetProblem {
  ProblemKind kind = ProblemKind::wrong_columns;
  std::uint8_t source = 0;           // which of the manifest's files
  int line = 0;                      // 0: of the file as a whole
  std::string id;                    // empty where the row has none that can be read
  std::string audio;                 // the file; empty where none was found
  MessageArg detail{std::string()};  // `what: value; expected ...`

  std::string text;  // the beginning of the text, where seeing it helps

  bool operator==(const DatasetProblem&) const = default;
};

}  // namespace qanat
