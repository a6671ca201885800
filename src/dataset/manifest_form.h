// What the second of three columns is, in a manifest without a header: `id|text|normalised`, as
// LJSpeech has it, or `id|speaker|text`, as Piper has it for several speakers.
#pragma once

#include <string_view>

namespace qanat {

enum class ManifestForm {
  texts,        // id|text|normalised
  speakers,     // id|speaker|text
  cannot_tell,  // a name and a sentence, or a word and its reading
};

// `rows` are the lines of the manifest; the first thousand decide. A text shares words with its
// normalised form; a speaker name repeats with other texts. Without such evidence, a second cell
// that contains a blank is a text; anything else is not guessed.
ManifestForm three_column_form(std::string_view rows, char line_end);

}  // namespace qanat
