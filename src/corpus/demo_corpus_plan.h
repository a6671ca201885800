// What the demo corpus says, before anybody says it: pure functions of the options.
#pragma once

#include <string>
#include <vector>

#include "corpus/demo_corpus.h"
#include "corpus/demo_corpus_voice.h"

namespace qanat {

// Throws Error for options that make no sense.
void check_options(const DemoCorpusOptions& options);

// Line `index`, whatever the other lines are.
DemoLine plan_line(const DemoCorpusOptions& options, int index);

std::string speaker_name(const DemoLine& line);

// Which lines are kept for evaluation: a tenth, at least one.
std::vector<bool> choose_eval(const DemoCorpusOptions& options);

}  // namespace qanat
