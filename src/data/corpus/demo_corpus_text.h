// What the demo corpus says: syllables that mean nothing, in words and sentences, with numbers for
// the text normaliser. Pure functions of the options.
#pragma once

#include <string>
#include <string_view>

#include "base/language.h"
#include "base/time.h"
#include "batch/random.h"
#include "corpus/demo_corpus.h"
#include "corpus/demo_corpus_voice.h"

namespace qanat {

// How long `text` takes at an ordinary pace. A guess from its letters, digits and punctuation.
Seconds speaking_time(std::string_view text);

// Text of one utterance that takes about `target`.
std::string make_demo_text(Language language, Seconds target, Random& random);

// Line `index`, whatever the other lines are.
DemoLine plan_line(const DemoCorpusOptions& options, int index);

}  // namespace qanat
