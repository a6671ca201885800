// Any bytes as text: normalising and tokenising must not crash, hang, leave digits or make ids
// that are none.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/normalise.h"
#include "text/phonemizer.h"
#include "text/tokenizer.h"

namespace {

void read_as(std::string_view raw, qanat::Language language, const qanat::Tokenizer& tokenizer) {
  const std::string spoken = qanat::normalise_text(raw, language);
  QANAT_CHECK(spoken.find_first_of("0123456789") == std::string::npos) << spoken;
  for (const qanat::TokenId id : tokenizer.encode(spoken, language)) {
    QANAT_CHECK(id > tokenizer.pad() && id < tokenizer.size()) << id;
  }
  tokenizer.unknown_symbols(spoken);
  std::string joined;
  for (const qanat::PhonemeChunk& chunk : qanat::split_for_phonemes(spoken)) {
    joined += chunk.text;
  }
  QANAT_CHECK(joined == spoken) << joined;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const qanat::Tokenizer tokenizer;  // built once, read only
  const std::string_view raw(reinterpret_cast<const char*>(bytes), size);
  read_as(raw, qanat::Language::en, tokenizer);
  read_as(raw, qanat::Language::fa, tokenizer);
  return 0;
}
