// Bytes of a Wyoming client, and the text in them: events within the limits, sentences that are
// all of the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "voice_server/sentence_buffer.h"
#include "voice_server/wyoming_event.h"

namespace {

// Without what separates sentences.
std::u32string letters_of(std::string_view text) {
  std::u32string letters;
  for (const char32_t c : qanat::decode_utf8(text)) {
    if (std::u32string_view(U" \t\r\n\u00A0").find(c) == std::u32string_view::npos) {
      letters += c;
    }
  }
  return letters;
}

void check_sentences(const std::string& text) {
  qanat::SentenceBuffer buffer;
  std::string all;
  for (const std::string& sentence : buffer.add(text)) {
    QANAT_CHECK(!sentence.empty()) << "an empty sentence";
    all += sentence;
  }
  all += buffer.finish().value_or("");
  QANAT_CHECK(letters_of(all) == letters_of(text)) << "lost text";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(bytes), size);
  check_sentences(std::string(rest));
  for (;;) {
    const qanat::WyomingParse parse = qanat::parse_wyoming_event(rest);
    if (parse.state != qanat::WyomingParse::State::complete) {
      return 0;
    }
    QANAT_CHECK(parse.bytes > 0 && parse.bytes <= rest.size()) << "beyond the input";
    QANAT_CHECK(parse.bytes <= qanat::kMaxWyomingEvent) << "beyond the limit";
    check_sentences(parse.event.text("text"));
    const qanat::WyomingParse again = qanat::parse_wyoming_event(qanat::to_bytes(parse.event));
    QANAT_CHECK(again.state != qanat::WyomingParse::State::incomplete) << "not whole";
    rest.remove_prefix(parse.bytes);
  }
}
