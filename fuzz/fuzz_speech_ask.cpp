// A request for speech as any client may send it, head and body: taken or refused, within the
// limits.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "serve/http_request.h"
#include "voice_server/speech_order_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  constexpr std::size_t kBody = 64 << 10;
  const qanat::HttpParse request = qanat::parse_request(text, {.body = kBody});
  if (request.state == qanat::HttpParse::State::complete) {
    QANAT_CHECK(request.request.body.size() <= kBody) << "a body beyond the limit";
  }
  const qanat::AskParse parse = qanat::parse_speech_ask(
      request.state == qanat::HttpParse::State::complete ? request.request.body : text,
      {.characters = 100});
  if (!parse.problem) {
    QANAT_CHECK(!parse.ask.order.text.empty() && parse.ask.characters <= 100) << "text";
    QANAT_CHECK(parse.ask.order.speed >= 0.25 && parse.ask.order.speed <= 4) << "speed";
  }
  return 0;
}
