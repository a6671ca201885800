#include "dataset/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace qanat {
namespace {

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

// How far the ASCII that starts at `at` reaches; eight bytes at a time.
std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) {
      break;
    }
  }
  while (at < bytes.size() && byte_at(bytes, at) < 0x80) {
    ++at;
  }
  return at;
}

struct LeadByte {
  int following = 0;          // continuation bytes; 0: not a lead byte
  unsigned char low = 0x80;   // the second byte is within [low, high]: this is what excludes
  unsigned char high = 0xBF;  // overlong forms, surrogates and values above U+10FFFF
};

LeadByte lead_byte(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) {
    return {.following = 1};
  }
  if (byte >= 0xE0 && byte <= 0xEF) {
    return {.following = 2,
            .low = static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            .high = static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    return {.following = 3,
            .low = static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            .high = static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
  }
  return {};
}

// Length of the sequence that starts at `at`; 0 when it is malformed.
std::size_t sequence_length(std::string_view bytes, std::size_t at) {
  const LeadByte lead = lead_byte(byte_at(bytes, at));
  const auto length = static_cast<std::size_t>(lead.following) + 1;
  if (lead.following == 0 || at + length > bytes.size()) {
    return 0;
  }
  const unsigned char second = byte_at(bytes, at + 1);
  if (second < lead.low || second > lead.high) {
    return 0;
  }
  for (std::size_t i = at + 2; i < at + length; ++i) {
    if ((byte_at(bytes, i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  return length;
}

// Of one well-formed sequence.
std::uint32_t decode(std::string_view sequence) {
  std::uint32_t code = byte_at(sequence, 0);
  if (sequence.size() > 1) {
    code &= 0x7FU >> sequence.size();
  }
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    code = (code << 6) | (byte_at(sequence, i) & 0x3FU);
  }
  return code;
}

struct CodeRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Controls, blanks, joiners, direction marks, combining marks, private use.
constexpr auto kInvisible = std::to_array<CodeRange>({{0x00, 0x20},
                                                      {0x7F, 0xA0},
                                                      {0xAD, 0xAD},
                                                      {0x0300, 0x036F},
                                                      {0x0610, 0x061C},
                                                      {0x064B, 0x065F},
                                                      {0x0670, 0x0670},
                                                      {0x06D6, 0x06ED},
                                                      {0x2000, 0x200F},
                                                      {0x2028, 0x202F},
                                                      {0x205F, 0x206F},
                                                      {0x20D0, 0x20FF},
                                                      {0x3000, 0x3000},
                                                      {0xE000, 0xF8FF},
                                                      {0xFE00, 0xFE0F},
                                                      {0xFEFF, 0xFEFF},
                                                      {0xFFF0, 0xFFFB},
                                                      {0xE0000, 0x10FFFF}});

bool is_visible(std::uint32_t code) {
  return std::ranges::none_of(kInvisible, [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

bool is_latin_letter(unsigned char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

// Letters of U+0620..06FF (two bytes) without the digits; punctuation lies below U+0620.
bool is_arabic_letter(unsigned char first, unsigned char second) {
  const int code = ((first & 0x1F) << 6) | (second & 0x3F);
  const bool digit = (code >= 0x660 && code <= 0x66C) || (code >= 0x6F0 && code <= 0x6F9);
  return code >= 0x620 && code <= 0x6FF && !digit;
}

// U+FB50..FDFF and U+FE70..FEFC, the presentation forms.
bool is_arabic_form(unsigned char second, unsigned char third) {
  const int code = 0xF000 | ((second & 0x3F) << 6) | (third & 0x3F);
  return (code >= 0xFB50 && code <= 0xFDFF) || (code >= 0xFE70 && code <= 0xFEFC);
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  std::size_t at = skip_ascii(bytes, 0);
  while (at < bytes.size()) {
    const std::size_t length = sequence_length(bytes, at);
    if (length == 0) {
      return at;
    }
    at = skip_ascii(bytes, at + length);
  }
  return std::nullopt;
}

std::size_t num_code_points(std::string_view utf8) {
  std::size_t count = 0;
  for (const char c : utf8) {
    count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  }
  return count;
}

std::string excerpt(std::string_view utf8, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < utf8.size(); ++end) {
    seen += (byte_at(utf8, end) & 0xC0) != 0x80 ? 1 : 0;
    if (seen > count) {
      return std::string(utf8.substr(0, end)) + "…";
    }
  }
  return std::string(utf8);
}

std::string describe_character(std::string_view utf8) {
  if (utf8.empty()) {
    return "nothing";
  }
  const std::size_t length = std::max<std::size_t>(sequence_length(utf8, 0), 1);
  const std::uint32_t code = decode(utf8.substr(0, length));
  if (!is_visible(code)) {
    return fmt::format("U+{:04X}", code);
  }
  return fmt::format("{} U+{:04X}", utf8.substr(0, length), code);
}

Language language_by_script(std::string_view utf8) {
  // Most rows of most sets are ASCII: no letter to count.
  if (skip_ascii(utf8, 0) == utf8.size()) {
    return Language::en;
  }
  std::size_t latin = 0;
  std::size_t arabic = 0;
  for (std::size_t at = 0; at < utf8.size(); ++at) {
    const unsigned char byte = byte_at(utf8, at);
    if (is_latin_letter(byte)) {
      ++latin;
    } else if (byte >= 0xD8 && byte <= 0xDB && at + 1 < utf8.size()) {
      arabic += is_arabic_letter(byte, byte_at(utf8, at + 1)) ? 1 : 0;
    } else if (byte == 0xEF && at + 2 < utf8.size()) {
      arabic += is_arabic_form(byte_at(utf8, at + 1), byte_at(utf8, at + 2)) ? 1 : 0;
    }
  }
  return arabic > latin ? Language::fa : Language::en;
}

}  // namespace qanat
