// What Qanat and a command that judges clips say to each other: one JSON object per line, one
// answer per request, in the same order (docs/en/evaluating.md). Pure functions; every byte of an
// answer is another program's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/language_tag.h"
#include "base/result.h"

namespace qanat {

// What a command is asked for.
enum class JudgeTask { transcribe, similarity, quality };

std::string_view to_string(JudgeTask task);

struct JudgeRequest {
  std::int64_t id = 0;
  JudgeTask task = JudgeTask::quality;
  std::filesystem::path audio;
  std::filesystem::path reference{};  // of similarity
  LanguageTag language;               // of transcribe
};

// A line without its end. Paths are absolute. A Failure: a path is not UTF-8, as JSON has to be.
Result<std::string> to_line(const JudgeRequest& request);

struct JudgeAnswer {
  std::int64_t id = 0;
  std::optional<std::string> text{};   // of transcribe
  std::optional<double> value{};       // of the others; finite
  std::optional<std::string> error{};  // why there is neither: this clip only
};

// An object with `id` and the field that the task needs, or `error`; others are ignored. Everything
// else is a Failure that says what was wrong.
Result<JudgeAnswer> parse_answer(std::string_view line, JudgeTask task);

}  // namespace qanat
