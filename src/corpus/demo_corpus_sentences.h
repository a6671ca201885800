// Sentences of the demo corpus: a small grammar per language, expanded at random.
//
// Grammatical and varied, with the numbers, times, prices and abbreviations a text normaliser has
// to deal with. No thread state; the same random stream gives the same text.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/language.h"
#include "base/time.h"
#include "corpus/demo_corpus_random.h"

namespace qanat {

// One symbol and what it may stand for; "<symbol>" in an alternative is expanded in turn.
// Grammars are acyclic. Every grammar has a symbol "utterance".
struct GrammarRule {
  std::string_view symbol;
  std::span<const std::string_view> alternatives;
};

std::span<const GrammarRule> english_grammar();
std::span<const GrammarRule> persian_grammar();

// How long `text` takes at an ordinary pace. A guess from its letters, digits and punctuation.
Seconds speaking_time(std::string_view text);

// Text of one utterance that takes about `target`: the best of a number of tries.
std::string make_demo_text(Language language, Seconds target, DemoRandom& random);

}  // namespace qanat
