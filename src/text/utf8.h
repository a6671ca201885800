// UTF-8 in and out. Bytes that are not UTF-8 become U+FFFD, so text from any file can be read and
// what was wrong with it stays visible (and countable as an unknown symbol).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qanat {

inline constexpr char32_t kReplacementCharacter = U'\uFFFD';
inline constexpr char32_t kZwnj = U'\u200C';  // zero-width non-joiner

// Reads the code point at `at` and moves `at` behind it. `at` must be inside `text`.
char32_t next_code_point(std::string_view text, std::size_t& at);

std::u32string decode_utf8(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

std::string encode_utf8(std::u32string_view text);

}  // namespace qanat
