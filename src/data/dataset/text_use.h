// What a reader of a data set wants of its texts.
#pragma once

#include <cstdint>

namespace qanat {

enum class TextUse : std::uint8_t {
  tokens,  // a row needs a text that can be read aloud, in a language that is known
  kept,    // texts are passed on as they are, in any language, also empty ones
  none,    // nobody looks at them
};

}  // namespace qanat
