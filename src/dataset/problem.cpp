#include "dataset/problem.h"

namespace qanat {
namespace {

struct ProblemWords {
  ProblemKind kind;
  Severity severity;
  std::string_view name;
  std::string_view explanation;
};

using enum ProblemKind;
using enum Severity;

// One line per kind, in the order of the enumeration.
constexpr std::array<ProblemWords, kNumProblemKinds> kWords = {{
    {wrong_columns,
     error,
     "wrong_columns",
     "the row does not have the columns it should; rows are id|text or id|text|normalised"},
    {invalid_utf8,
     error,
     "invalid_utf8",
     "the row is not UTF-8; convert the file, e.g. iconv -f windows-1252 -t utf-8"},
    {bad_id, error, "bad_id", "the id does not name a file inside the data set"},
    {empty_text, error, "empty_text", "the row has no text"},
    {unknown_language, error, "unknown_language", "the language column is neither en nor fa"},
    {duplicate_id, error, "duplicate_id", "the id was seen before; the first row is used"},
    {missing_audio,
     error,
     "missing_audio",
     "there is no audio file for the id, in wavs/ or beside the manifest"},
    {unreadable_audio, error, "unreadable_audio", "the audio file's header cannot be read"},
    {untokenizable_text, error, "untokenizable_text", "the text yields no tokens"},
    {text_too_long,
     error,
     "text_too_long",
     "the text has more tokens than --max-text-length; it is left out, never cut"},
    {audio_too_long,
     error,
     "audio_too_long",
     "the audio has more frames than --max-mel-frames; it is left out, never cut"},
    {audio_too_short, error, "audio_too_short", "the audio is shorter than --min-seconds"},
    {more_tokens_than_frames,
     error,
     "more_tokens_than_frames",
     "there are more tokens than mel frames: nobody speaks this fast; text and audio differ"},
    {damaged_audio, error, "damaged_audio", "the header is fine but the samples cannot be decoded"},
    {silence,
     warning,
     "silence",
     "all of the clip is silent, or more than a second at one of its ends"},
    {clipping, warning, "clipping", "the recording was driven into its limits"},
    {repeated_audio, warning, "repeated_audio", "another utterance has the very same audio file"},
    {unusual_pace,
     warning,
     "unusual_pace",
     "characters per second far from the rest of the set; text and audio may not belong together"},
    {unknown_characters,
     warning,
     "unknown_characters",
     "the text holds characters the tokenizer does not know; they are not spoken"},
    {other_rate, note, "other_rate", "another sample rate than the model's; resampled on the fly"},
    {several_channels, note, "several_channels", "more than one channel; mixed down on the fly"},
    {unused_column, note, "unused_column", "a column of the header that is not used"},
    {unused_file, note, "unused_file", "a manifest that is not read because another one is"},
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

std::string_view explain(ProblemKind kind) {
  return words(kind).explanation;
}

std::string without_path(const std::string& what, const std::filesystem::path& path) {
  const std::string prefix = path.string() + ": ";
  return what.starts_with(prefix) ? what.substr(prefix.size()) : what;
}

}  // namespace qanat
