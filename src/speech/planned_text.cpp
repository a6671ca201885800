#include "speech/planned_text.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "dataset/script.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"
#include "speech/sentence_pieces.h"

namespace qanat {
namespace {

constexpr std::size_t kLongestPiece = 180;  // characters; models are trained on up to 200 tokens

}  // namespace

std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  const std::u32string letters = decode_utf8(text);
  return letters.size() <= kLongest ? text : encode_utf8(letters.substr(0, kLongest)) + "…";
}

PlannedText plan_text(const std::string& text,
                      const std::optional<Language>& language,
                      const TextFrontEnd& front_end) {
  PlannedText planned{.text = encode_utf8(decode_utf8(text))};
  planned.language = language.value_or(language_by_script(planned.text));
  const Result<TextReading> whole = front_end.read(planned.text, planned.language);
  if (!whole) {
    throw MessageError(msg::synth_unreadable{.text = shortened(planned.text),
                                             .reason = reason_of(whole.failure())});
  }
  planned.normalised = whole.value().normalised;
  planned.unknown = whole.value().unknown;
  planned.pieces = sentence_pieces(planned.normalised, kLongestPiece);
  const bool says_something = std::ranges::any_of(planned.pieces, [&](const std::string& piece) {
    return front_end.tokens(piece, planned.language).ok();
  });
  if (!says_something) {
    throw MessageError(msg::synth_nothing_to_say{.text = shortened(planned.text)});
  }
  return planned;
}

}  // namespace qanat
