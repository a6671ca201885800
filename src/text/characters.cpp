#include "text/characters.h"

namespace qanat {
namespace {

bool within(char32_t code_point, char32_t first, char32_t last) {
  return code_point >= first && code_point <= last;
}

}  // namespace

std::optional<int> digit_value(char32_t code_point) {
  for (const char32_t zero : {U'0', U'\u06F0', U'\u0660', U'\uFF10', U'\u2080'}) {
    if (within(code_point, zero, zero + 9)) {
      return static_cast<int>(code_point - zero);
    }
  }
  return std::nullopt;
}

bool is_ascii_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

bool is_ascii_upper(char byte) {
  return byte >= 'A' && byte <= 'Z';
}

bool is_ascii_lower(char byte) {
  return byte >= 'a' && byte <= 'z';
}

bool is_ascii_letter(char byte) {
  return is_ascii_upper(byte) || is_ascii_lower(byte);
}

char to_ascii_lower(char byte) {
  return is_ascii_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte;
}

bool is_arabic_letter(char32_t code_point) {
  return within(code_point, 0x0620, 0x063F) || within(code_point, 0x0641, 0x065F) ||
         within(code_point, 0x066E, 0x06D3) || code_point == 0x06D5 ||
         within(code_point, 0x06FA, 0x06FF) || within(code_point, 0x0750, 0x077F) ||
         within(code_point, 0xFB50, 0xFD3D) || within(code_point, 0xFD50, 0xFDFD) ||
         within(code_point, 0xFE70, 0xFEFC);
}

}  // namespace qanat
