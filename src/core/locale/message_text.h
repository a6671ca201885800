// The sentences as the build has made them from locale/*.po.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/message.h"

namespace qanat {

inline constexpr std::size_t kLanguages = 2;  // enumerators of Language, which index MessageText

// One sentence in one language, its gaps by their number: "{0} of {1}". Empty: not translated.
struct Sentence {
  std::string_view one;    // where the first gap is 1
  std::string_view other;  // the same as `one` where the language or the sentence has one form
};

struct MessageText {
  MessageId id{};
  std::string_view name;  // its id in the po files
  std::array<Sentence, kLanguages> sentences;
};

// Sorted by id; the first says nothing.
std::span<const MessageText> message_texts();

}  // namespace qanat
