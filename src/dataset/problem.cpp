#include "dataset/problem.h"

#include "locale/message_error.h"
#include "locale/messages.h"

namespace qanat {
namespace {

struct ProblemWords {
  ProblemKind kind;
  Severity severity;
  std::string_view name;
  MessageId title;
  MessageId explanation;
};

using enum ProblemKind;
using enum Severity;

// One line per kind, in the order of the enumeration.
constexpr std::array<ProblemWords, kNumProblemKinds> kWords = {{
    {wrong_columns,
     error,
     "wrong_columns",
     msg::problem_wrong_columns::id,
     msg::problem_wrong_columns_is::id},
    {invalid_utf8,
     error,
     "invalid_utf8",
     msg::problem_invalid_utf8::id,
     msg::problem_invalid_utf8_is::id},
    {bad_id, error, "bad_id", msg::problem_bad_id::id, msg::problem_bad_id_is::id},
    {empty_text, error, "empty_text", msg::problem_empty_text::id, msg::problem_empty_text_is::id},
    {unknown_language,
     error,
     "unknown_language",
     msg::problem_unknown_language::id,
     msg::problem_unknown_language_is::id},
    {duplicate_id,
     error,
     "duplicate_id",
     msg::problem_duplicate_id::id,
     msg::problem_duplicate_id_is::id},
    {missing_audio,
     error,
     "missing_audio",
     msg::problem_missing_audio::id,
     msg::problem_missing_audio_is::id},
    {unreadable_audio,
     error,
     "unreadable_audio",
     msg::problem_unreadable_audio::id,
     msg::problem_unreadable_audio_is::id},
    {untokenizable_text,
     error,
     "untokenizable_text",
     msg::problem_untokenizable_text::id,
     msg::problem_untokenizable_text_is::id},
    {text_too_long,
     error,
     "text_too_long",
     msg::problem_text_too_long::id,
     msg::problem_text_too_long_is::id},
    {audio_too_long,
     error,
     "audio_too_long",
     msg::problem_audio_too_long::id,
     msg::problem_audio_too_long_is::id},
    {audio_too_short,
     error,
     "audio_too_short",
     msg::problem_audio_too_short::id,
     msg::problem_audio_too_short_is::id},
    {more_tokens_than_frames,
     error,
     "more_tokens_than_frames",
     msg::problem_more_tokens_than_frames::id,
     msg::problem_more_tokens_than_frames_is::id},
    {damaged_audio,
     error,
     "damaged_audio",
     msg::problem_damaged_audio::id,
     msg::problem_damaged_audio_is::id},
    {silence, warning, "silence", msg::problem_silence::id, msg::problem_silence_is::id},
    {clipping, warning, "clipping", msg::problem_clipping::id, msg::problem_clipping_is::id},
    {repeated_audio,
     warning,
     "repeated_audio",
     msg::problem_repeated_audio::id,
     msg::problem_repeated_audio_is::id},
    {unusual_pace,
     warning,
     "unusual_pace",
     msg::problem_unusual_pace::id,
     msg::problem_unusual_pace_is::id},
    {unknown_characters,
     warning,
     "unknown_characters",
     msg::problem_unknown_characters::id,
     msg::problem_unknown_characters_is::id},
    {other_rate, note, "other_rate", msg::problem_other_rate::id, msg::problem_other_rate_is::id},
    {several_channels,
     note,
     "several_channels",
     msg::problem_several_channels::id,
     msg::problem_several_channels_is::id},
    {unused_column,
     note,
     "unused_column",
     msg::problem_unused_column::id,
     msg::problem_unused_column_is::id},
    {unused_file,
     note,
     "unused_file",
     msg::problem_unused_file::id,
     msg::problem_unused_file_is::id},
}};

constexpr bool words_are_in_order() {
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    if (static_cast<std::size_t>(kWords[i].kind) != i) {
      return false;
    }
  }
  return true;
}
static_assert(words_are_in_order());

const ProblemWords& words(ProblemKind kind) {
  return kWords[static_cast<std::size_t>(kind)];
}

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case note:
      return "note";
    case warning:
      return "warning";
    case error:
      return "error";
  }
  return "unknown";
}

std::string_view to_string(ProblemKind kind) {
  return words(kind).name;
}

Severity severity_of(ProblemKind kind) {
  return words(kind).severity;
}

Message explain(ProblemKind kind) {
  return {words(kind).explanation};
}

Message title_of(ProblemKind kind) {
  return {words(kind).title};
}

MessageArg reason_of(const Failure& failure, const std::filesystem::path& path) {
  const std::string prefix = path.string() + ": ";
  return !failure.message && failure.what.starts_with(prefix) ? failure.what.substr(prefix.size())
                                                              : reason_of(failure);
}

}  // namespace qanat
