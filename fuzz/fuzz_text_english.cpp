// Any bytes as English text: reading it must not crash, must change nothing the second time, and
// must not lose letters.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "text/normalise.h"

namespace {

bool is_small_letter(char byte) {
  return byte >= 'a' && byte <= 'z';
}

// No rule reads a Cyrillic letter: every one has to stay, to be reported.
std::ptrdiff_t count_cyrillic(std::string_view utf8) {
  return std::ranges::count_if(qanat::decode_utf8(utf8),
                               [](char32_t c) { return c >= U'\u0400' && c <= U'\u0481'; });
}

// Words between spaces that are longer than any abbreviation are said as they are written, in
// their order. "squared" and "cubed" may move before their unit.
void check_long_words(std::string_view raw, std::string_view spoken) {
  constexpr std::size_t kLongerThanAbbreviations = 8;
  std::size_t said = 0;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t end = std::min(raw.find(' ', at), raw.size());
    const std::string_view word = raw.substr(at, end - at);
    if (word.size() >= kLongerThanAbbreviations && std::ranges::all_of(word, is_small_letter)) {
      const std::size_t found = spoken.find(word, said);
      QANAT_CHECK(found != std::string_view::npos) << word << " is missing in " << spoken;
      said = found + word.size();
    }
    at = end + 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view raw(reinterpret_cast<const char*>(bytes), size);
  const std::string spoken = qanat::normalise_text(raw, qanat::Language::en);
  QANAT_CHECK(spoken.find_first_of("0123456789") == std::string::npos) << spoken;
  QANAT_CHECK(qanat::normalise_text(spoken, qanat::Language::en) == spoken) << spoken;
  QANAT_CHECK(count_cyrillic(raw) == count_cyrillic(spoken)) << spoken;
  check_long_words(raw, spoken);
  return 0;
}
