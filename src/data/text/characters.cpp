#include "text/characters.h"

namespace qanat {
namespace {

bool within(char32_t code_point, char32_t first, char32_t last) {
  return code_point >= first && code_point <= last;
}

}  // namespace

bool is_other_arabic_letter(char32_t code_point) {
  return within(code_point, 0x0620, 0x063F) || within(code_point, 0x0641, 0x065F) ||
         within(code_point, 0x066E, 0x06D3) || code_point == 0x06D5 ||
         within(code_point, 0x06FA, 0x06FF) || within(code_point, 0x0750, 0x077F) ||
         within(code_point, 0xFB50, 0xFD3D) || within(code_point, 0xFD50, 0xFDFD) ||
         within(code_point, 0xFE70, 0xFEFC);
}

bool is_combining_mark(char32_t code_point) {
  if (code_point < 0x0300) {
    return false;
  }
  return within(code_point, 0x0300, 0x036F) || within(code_point, 0x0483, 0x0489) ||
         within(code_point, 0x0591, 0x05BD) || code_point == 0x05BF ||
         within(code_point, 0x05C1, 0x05C2) || within(code_point, 0x05C4, 0x05C5) ||
         code_point == 0x05C7 || within(code_point, 0x0610, 0x061A) ||
         within(code_point, 0x064B, 0x065F) || code_point == 0x0670 ||
         within(code_point, 0x06D6, 0x06DC) || within(code_point, 0x06DF, 0x06E8) ||
         within(code_point, 0x06EA, 0x06ED) || within(code_point, 0x08D3, 0x08FF) ||
         within(code_point, 0x1AB0, 0x1AFF) || within(code_point, 0x1DC0, 0x1DFF) ||
         code_point == 0x200D || within(code_point, 0x20D0, 0x20FF) ||
         within(code_point, 0xFE00, 0xFE0F) || within(code_point, 0xFE20, 0xFE2F);
}

}  // namespace qanat
