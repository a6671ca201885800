// Parses one line of a JSON Lines manifest from arbitrary bytes: NeMo's, Hugging Face's
// `metadata.jsonl`, Lhotse's cuts. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/message.h"
#include "dataset/column_names.h"
#include "dataset/problem.h"

namespace qanat {

struct JsonRow {
  std::string id;  // empty: by the audio
  std::string audio;
  std::string text;
  std::string speaker;
  std::string language;
};

// Why a line is no row that can be used.
struct JsonRefusal {
  ProblemKind kind = ProblemKind::wrong_columns;
  std::string id;
  Message detail;
};

using ParsedJson = std::variant<JsonRow, JsonRefusal>;

// Which text or audio key is missing is said with the keys that are there. A part of a recording
// (an offset, a cut that begins later or ends earlier) is refused: audio is read whole.
ParsedJson parse_json_row(std::string_view line, const ColumnChoice& choice);

// What an object says, whether or not it says all: the JSON member of a sample. Nothing: no object.
std::optional<JsonRow> parse_json_fields(std::string_view bytes, const ColumnChoice& choice);

// A line of Lhotse's recordings.jsonl: where the audio of which recording is.
struct JsonRecording {
  std::string id;
  std::string audio;
  double duration = 0;
};
std::variant<JsonRecording, JsonRefusal> parse_json_recording(std::string_view line);

// A line of Lhotse's supervisions.jsonl: what is said in a recording.
struct JsonSupervision {
  std::string recording;
  JsonRow row;  // without audio
  double start = 0;
  double duration = 0;
};
std::variant<JsonSupervision, JsonRefusal> parse_json_supervision(std::string_view line);

// Whether a part of that length is all of a recording; false also when it is not known.
bool is_whole(double start, double duration, double whole);

Message part_of_recording();

}  // namespace qanat
