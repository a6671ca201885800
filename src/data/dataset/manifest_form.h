// Tells which column of a manifest without a header is the text. Pure.
#pragma once

#include <string_view>

namespace qanat {

// Whose list the rows look like. Every form begins with an id or a path.
enum class ManifestForm {
  texts,                  // id|text|normalised|speaker|language, the last three optional: LJSpeech
  speaker_text,           // id|speaker|text: Piper, VITS
  text_speaker,           // id|text|speaker: StyleTTS2
  speaker_language_text,  // id|speaker|language|text: GPT-SoVITS
  text_speaker_language,  // id|text|speaker|language
  cannot_tell,            // a name and a sentence, or a word and its reading
};

// Which cell of a row is what.
struct ManifestColumns {
  static constexpr int kAbsent = -1;

  int audio = 0;
  int text = 1;
  int normalised = 2;
  int speaker = 3;
  int language = 4;
  int least = 2;  // cells a row has to have
  int most = 5;   // cells a row may have
};

// `rows` are the lines of the manifest; the first thousand decide, by what their columns hold. A
// text shares words with its normalised form, which is about as long. A speaker recurs with other
// texts, or is a number beside words, and is shorter than a text. What fits neither is not guessed.
ManifestForm manifest_form(std::string_view rows, char line_end);

// `form` is one that can be told.
ManifestColumns columns_of(ManifestForm form);
// "id|text|speaker"
std::string_view name_of(ManifestForm form);

}  // namespace qanat
