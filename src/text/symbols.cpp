#include "text/symbols.h"

#include <algorithm>

namespace qanat {
namespace {

// Both sets begin with the space and the marks that are pauses or tones of voice. \u200C is ZWNJ.
constexpr std::u32string_view kCharacters =
    U" !\"'(),-.:;?—…"
    U"،؛؟«»"
    U"abcdefghijklmnopqrstuvwxyz"
    U"اآبپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی"
    U"ءأؤئ"
    U"\u0654\u064B\u064C\u064D\u064E\u064F\u0650\u0651\u0652\u0670"
    U"\u200C";

// What espeak-ng writes for en-us and fa, and the rest of the pulmonic IPA for other versions.
constexpr std::u32string_view kPhonemes =
    U" !\"'(),-.:;?—…"
    U"،؛؟«»"
    U"abcdefhijklmnopqrstuvwxyz"
    U"ɑɐɒæβɔɕçɖðəɘɚɛɜɝɞɟɡɢɣɤɦħɥɨɪʝɭɬɫɮʟɱɯɰŋɳɲɴøɵɸθœɶɹɺɾɻʀʁɽʂʃʈʉʊʋʌʍχʎʏʑʐʒʔʕᵻᵊ"
    U"ˈˌːˑʰʲʷˠˤ"
    U"\u0303\u0329\u032F\u0325\u030A";

constexpr bool has_no_repetition(std::u32string_view symbols) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols.find(symbols[i], i + 1) != std::u32string_view::npos) {
      return false;
    }
  }
  return true;
}

constexpr std::size_t kMostSymbols = 256;  // an id fits a byte in stored features

static_assert(has_no_repetition(kCharacters) && has_no_repetition(kPhonemes));
static_assert(kSpecialSymbols.size() + std::max(kCharacters.size(), kPhonemes.size()) <=
              kMostSymbols);

}  // namespace

std::u32string_view symbol_code_points(SymbolSet set) {
  return set == SymbolSet::characters ? kCharacters : kPhonemes;
}

}  // namespace qanat
