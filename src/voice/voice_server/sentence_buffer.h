// Text that comes in parts, as a language model writes it: handed on sentence by sentence, so that
// the first is heard while the last is not written yet. English, Persian and what is written like
// them. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

// Where the first sentence of `text` ends, its quotes and brackets included; nothing while that is
// not certain: a full stop may belong to an abbreviation ("Dr. Who"), an initial or a number, which
// what follows tells. The end of a line is one of a sentence.
std::optional<std::size_t> sentence_end(std::u32string_view text);

class SentenceBuffer {
 public:
  // The sentences that are complete by now, without spaces around them; none is empty.
  std::vector<std::string> add(std::string_view utf8);
  // What is left, if anything.
  std::optional<std::string> finish();

 private:
  std::u32string text_;
};

}  // namespace qanat
