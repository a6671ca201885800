// UTF-8 in and out. Bytes that are not UTF-8 become U+FFFD, so text from any file can be read and
// what was wrong with it stays visible (and countable as an unknown symbol). Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace qanat {

inline constexpr char32_t kReplacementCharacter = U'\uFFFD';
inline constexpr char32_t kZwnj = U'\u200C';  // zero-width non-joiner

// Reads the code point at `at` and moves `at` behind it, or behind one byte when no well-formed
// sequence starts there (overlong forms, surrogates and values above U+10FFFF are not). `at` must
// be inside `text`.
std::optional<char32_t> read_code_point(std::string_view text, std::size_t& at);
// As above, with U+FFFD for what is not well-formed.
inline char32_t next_code_point(std::string_view text, std::size_t& at) {
  // One and two well-formed bytes: nearly all of English and Persian text.
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) {
    ++at;
    return byte;
  }
  if (byte >= 0xC2 && byte <= 0xDF && at + 1 < text.size()) {
    const auto next = static_cast<unsigned char>(text[at + 1]);
    if ((next & 0xC0) == 0x80) {
      at += 2;
      return (char32_t{byte} & 0x1F) << 6 | (char32_t{next} & 0x3F);
    }
  }
  return read_code_point(text, at).value_or(kReplacementCharacter);
}

std::u32string decode_utf8(std::string_view text);

void append_utf8(std::string& out, char32_t code_point);

std::string encode_utf8(std::u32string_view text);

// Where the ASCII that starts at `at` ends.
std::size_t skip_ascii(std::string_view text, std::size_t at);

// Position of the first byte that is not part of a well-formed sequence; nothing when all of it
// is UTF-8.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

// Code points of well-formed UTF-8.
std::size_t num_code_points(std::string_view utf8);

// The first `count` code points, with an ellipsis where some were left out.
std::string excerpt(std::string_view utf8, std::size_t count);

}  // namespace qanat
