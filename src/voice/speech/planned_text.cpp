#include "speech/planned_text.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/languages.h"
#include "locale/messages/speech_errors.h"
#include "speech/choose_language.h"
#include "speech/sentence_pieces.h"
#include "speech/speech_model.h"

namespace qanat {
namespace {

constexpr std::size_t kLongestPiece = 180;  // characters; models are trained on up to 200 tokens

LanguageTag language_of(const std::string& text, const std::vector<LanguageTag>& trained) {
  const std::optional<LanguageTag> language = choose_language(text, trained);
  if (!language) {
    std::vector<std::string> known;
    for (const LanguageTag& one : trained) {
      known.push_back(one.text());
    }
    throw MessageError(msg::synth_say_language{
        .text = shortened(text), .languages = known, .example = known.front()});
  }
  return *language;
}

// Pieces are read again only for a text that has such symbols.
std::vector<UnlearntSymbols> find_unlearnt(const PlannedText& planned,
                                           const TextFrontEnd& front_end) {
  std::vector<UnlearntSymbols> unlearnt;
  for (const std::string& piece : planned.pieces) {
    Result<TextReading> reading = front_end.read(piece, planned.language);
    if (reading && !reading.value().unknown.empty()) {
      unlearnt.push_back({.sentence = piece, .symbols = std::move(reading.value().unknown)});
    }
  }
  return unlearnt;
}

}  // namespace

std::string shortened(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  const std::u32string letters = decode_utf8(text);
  return letters.size() <= kLongest ? text : encode_utf8(letters.substr(0, kLongest)) + "…";
}

PlannedText plan_text(const std::string& text,
                      const std::optional<LanguageTag>& language,
                      const SpeechModel& model) {
  const TextFrontEnd& front_end = model.text();
  PlannedText planned{.text = encode_utf8(decode_utf8(text))};
  planned.language = language ? *language : language_of(planned.text, model.state().languages);
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
  if (!planned.unknown.empty()) {
    planned.unlearnt = find_unlearnt(planned, front_end);
  }
  return planned;
}

}  // namespace qanat
