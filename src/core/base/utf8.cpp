#include "base/utf8.h"

#include <cstdint>
#include <cstring>

#include <utf8proc.h>

namespace qanat {

std::optional<char32_t> read_code_point(std::string_view text, std::size_t& at) {
  utf8proc_int32_t code_point = 0;
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                       static_cast<utf8proc_ssize_t>(text.size() - at),
                       &code_point);
  if (length <= 0) {
    ++at;  // the next byte starts afresh
    return std::nullopt;
  }
  at += static_cast<std::size_t>(length);
  return static_cast<char32_t>(code_point);
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string out(text.size(), U'\0');  // no text has more characters than bytes
  std::size_t size = 0;
  for (std::size_t at = 0; at < text.size();) {
    out[size++] = next_code_point(text, at);
  }
  out.resize(size);
  return out;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto byte = [](char32_t value) { return static_cast<char>(value); };
  const auto following = [&](int shift) { return byte(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    out += byte(code_point);
  } else if (code_point < 0x800) {
    out.append({byte(0xC0 | (code_point >> 6)), following(0)});
  } else if (code_point < 0x10000) {
    out.append({byte(0xE0 | (code_point >> 12)), following(6), following(0)});
  } else {
    out.append({byte(0xF0 | (code_point >> 18)), following(12), following(6), following(0)});
  }
}

std::string encode_utf8(std::u32string_view text) {
  std::string out;
  out.reserve(text.size() * 2);
  for (const char32_t code_point : text) {
    append_utf8(out, code_point);
  }
  return out;
}

std::size_t skip_ascii(std::string_view text, std::size_t at) {
  // Eight bytes at a time.
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  for (; at + sizeof(std::uint64_t) <= text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) {
      break;
    }
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) {
    ++at;
  }
  return at;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  for (std::size_t at = skip_ascii(bytes, 0); at < bytes.size(); at = skip_ascii(bytes, at)) {
    const std::size_t start = at;
    if (!read_code_point(bytes, at)) {
      return start;
    }
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
    seen += (static_cast<unsigned char>(utf8[end]) & 0xC0) != 0x80 ? 1 : 0;
    if (seen > count) {
      return std::string(utf8.substr(0, end)) + "…";
    }
  }
  return std::string(utf8);
}

}  // namespace qanat
