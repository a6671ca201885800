// Ids as Piper and sherpa-onnx send them, to the tokens the model was trained on, inside the graph.
//
// They put blanks between symbols, each in its own places; one of the two splits letters from their
// marks (NFD), one leaves the end out. The graph trusts none of that: it drops blanks and unknown
// ids, puts letters and marks together, trims spaces, and adds silence and language itself.
#pragma once

#include <cstdint>
#include <vector>

#include "export/graph_builder.h"

namespace qanat {

// A letter and the mark behind it, which together are another symbol.
struct Composition {
  std::int64_t letter = 0;
  std::int64_t mark = 0;
  std::int64_t composed = 0;
};

// Which ids there are. A mark that is no symbol of the model has an id from `vocabulary` on.
struct SymbolPlan {
  std::int64_t vocabulary = 0;  // of the model
  std::int64_t ids = 0;         // those of marks included
  std::int64_t silence = 1;     // what stands for the beginning and the end; ids below are blanks
  std::int64_t space = 0;
  std::vector<Composition> compositions;
  // Which language the tokens begin with: the first, or the second when the sum of the scores of
  // the tokens is above 0. One language: no scores.
  std::vector<std::int64_t> languages;
  std::vector<std::int64_t> scores;  // by id, [vocabulary]
};

struct SymbolValues {
  GraphValue tokens;  // i64 [n]: language, silence, symbols, silence
  GraphValue places;  // i64 [n - 3]: of the symbols among the ids that came in
  GraphValue ids;     // i64 [N]: as they came in
  GraphValue count;   // i64 [1]: how many of them count
};

// input: i64 [1, N], lengths: i64 [1].
SymbolValues read_symbols(GraphBuilder& graph,
                          const SymbolPlan& plan,
                          const GraphValue& input,
                          const GraphValue& lengths);

// Frames of each token, i64 [n], to those of each id that came in, f32 [1, N]: nothing for blanks,
// the language and the silences for the first and the last.
GraphValue place_durations(GraphBuilder& graph,
                           const SymbolValues& symbols,
                           const GraphValue& durations);

}  // namespace qanat
