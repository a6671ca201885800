// Any bytes as Persian text: reading them must not crash or hang, must not drop a letter without
// putting words in its place, and must read its own result as itself.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "text/characters.h"
#include "text/latin_letters.h"
#include "text/normalise.h"
#include "text/tokenizer.h"

namespace {

bool is_letter(char32_t code_point) {
  return qanat::is_plain_persian_letter(code_point) || qanat::is_latin_letter(code_point);
}

// Long runs of Persian letters come back. Short ones may be replaced by other words: short forms
// (ص ۱۲) and endings (۲۱م).
bool keeps_words(std::u32string_view raw, std::u32string_view spoken) {
  constexpr std::size_t kLongestReplaced = 12;
  std::size_t run = 0;
  for (std::size_t at = 0; at <= raw.size(); ++at) {
    if (at < raw.size() && qanat::is_plain_persian_letter(raw[at])) {
      ++run;
      continue;
    }
    // A ZWNJ may come behind the first two letters or before an ending: look between them.
    if (run > kLongestReplaced &&
        spoken.find(raw.substr(at - run + 3, kLongestReplaced / 3)) == std::u32string_view::npos) {
      return false;
    }
    run = 0;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const qanat::Tokenizer tokenizer;  // built once, read only
  const std::string_view raw(reinterpret_cast<const char*>(bytes), size);
  const std::string spoken = qanat::normalise_text(raw, qanat::Language::fa);
  const std::u32string written = qanat::decode_utf8(raw);
  const std::u32string read = qanat::decode_utf8(spoken);

  QANAT_CHECK(qanat::normalise_text(spoken, qanat::Language::fa) == spoken) << spoken;
  QANAT_CHECK(!std::ranges::any_of(written, is_letter) || std::ranges::any_of(read, is_letter))
      << "no letter is left of " << std::string(raw);
  QANAT_CHECK(keeps_words(written, read)) << "a word is missing of " << std::string(raw);
  for (const qanat::TokenId id : tokenizer.encode(spoken, qanat::Language::fa)) {
    QANAT_CHECK(id > tokenizer.pad() && id < tokenizer.size()) << id;
  }
  return 0;
}
