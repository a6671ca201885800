#include "dataset/problem.h"

#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/data_set_problems.h"

namespace qanat {
namespace {

struct ProblemWords {
  std::string_view name;
  MessageId title;
  MessageId explanation;
};

// One line per kind, in the order of the enumeration.
constexpr std::array<ProblemWords, kNumProblemKinds> kWords = {{
    {"wrong_columns", msg::problem_wrong_columns::id, msg::problem_wrong_columns_is::id},
    {"invalid_utf8", msg::problem_invalid_utf8::id, msg::problem_invalid_utf8_is::id},
    {"bad_id", msg::problem_bad_id::id, msg::problem_bad_id_is::id},
    {"empty_text", msg::problem_empty_text::id, msg::problem_empty_text_is::id},
    {"unknown_language", msg::problem_unknown_language::id, msg::problem_unknown_language_is::id},
    {"duplicate_id", msg::problem_duplicate_id::id, msg::problem_duplicate_id_is::id},
    {"missing_audio", msg::problem_missing_audio::id, msg::problem_missing_audio_is::id},
    {"damaged_archive", msg::problem_damaged_archive::id, msg::problem_damaged_archive_is::id},
    {"unreadable_audio", msg::problem_unreadable_audio::id, msg::problem_unreadable_audio_is::id},
    {"untokenizable_text",
     msg::problem_untokenizable_text::id,
     msg::problem_untokenizable_text_is::id},
    {"text_too_long", msg::problem_text_too_long::id, msg::problem_text_too_long_is::id},
    {"audio_too_long", msg::problem_audio_too_long::id, msg::problem_audio_too_long_is::id},
    {"audio_too_short", msg::problem_audio_too_short::id, msg::problem_audio_too_short_is::id},
    {"more_tokens_than_frames",
     msg::problem_more_tokens_than_frames::id,
     msg::problem_more_tokens_than_frames_is::id},
    {"changed_since_view",
     msg::problem_changed_since_view::id,
     msg::problem_changed_since_view_is::id},
    {"damaged_audio", msg::problem_damaged_audio::id, msg::problem_damaged_audio_is::id},
    {"silence", msg::problem_silence::id, msg::problem_silence_is::id},
    {"clipping", msg::problem_clipping::id, msg::problem_clipping_is::id},
    {"repeated_audio", msg::problem_repeated_audio::id, msg::problem_repeated_audio_is::id},
    {"unusual_pace", msg::problem_unusual_pace::id, msg::problem_unusual_pace_is::id},
    {"set_pace", msg::problem_set_pace::id, msg::problem_set_pace_is::id},
    {"unknown_characters",
     msg::problem_unknown_characters::id,
     msg::problem_unknown_characters_is::id},
    {"left_out", msg::problem_left_out::id, msg::problem_left_out_is::id},
    {"other_rate", msg::problem_other_rate::id, msg::problem_other_rate_is::id},
    {"several_channels", msg::problem_several_channels::id, msg::problem_several_channels_is::id},
    {"layout", msg::problem_layout::id, msg::problem_layout_is::id},
    {"column_order", msg::problem_column_order::id, msg::problem_column_order_is::id},
    {"unused_column", msg::problem_unused_column::id, msg::problem_unused_column_is::id},
    {"unused_file", msg::problem_unused_file::id, msg::problem_unused_file_is::id},
}};

// Errors come first, facts last.
constexpr ProblemKind kFirstWarning = ProblemKind::silence;
constexpr ProblemKind kFirstNote = ProblemKind::left_out;

constexpr const ProblemWords& words(ProblemKind kind) {
  return kWords[static_cast<std::size_t>(kind)];
}
static_assert(words(ProblemKind::wrong_columns).name == "wrong_columns");
static_assert(words(ProblemKind::missing_audio).name == "missing_audio");
static_assert(words(ProblemKind::damaged_audio).name == "damaged_audio");
static_assert(words(kFirstWarning).name == "silence");
static_assert(words(kFirstNote).name == "left_out");
static_assert(words(ProblemKind::unused_file).name == "unused_file");

}  // namespace

std::string_view to_string(Severity severity) {
  return std::array<std::string_view, 3>{"note", "warning", "error"}.at(
      static_cast<std::size_t>(severity));
}

std::string_view to_string(ProblemKind kind) {
  return words(kind).name;
}

Severity severity_of(ProblemKind kind) {
  return kind < kFirstWarning ? Severity::error
         : kind < kFirstNote  ? Severity::warning
                              : Severity::note;
}

Message explain(ProblemKind kind) {
  return {words(kind).explanation};
}

Message title_of(ProblemKind kind) {
  return {words(kind).title};
}

MessageArg reason_of(const Failure& failure, const std::filesystem::path& path) {
  MessageArg reason = reason_of(failure);
  const auto* const said = std::get_if<Message>(&reason.value());
  const bool names_it = said != nullptr && said->id == msg::set_refused::id &&
                        said->args.front() == MessageArg(path.string());
  if (names_it) {
    return said->args.back();
  }
  const std::string prefix = path.string() + ": ";
  return said == nullptr && failure.what.starts_with(prefix) ? failure.what.substr(prefix.size())
                                                             : reason;
}

}  // namespace qanat
