#include "voice_server/speech_answer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "page/base64.h"

namespace qanat {

std::string streamed_head(std::string_view content_type, bool chunked, std::string_view id) {
  return fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: {}\r\n{}Connection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Accel-Buffering: no\r\nX-Request-Id: {}\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
      content_type,
      chunked ? "Transfer-Encoding: chunked\r\n" : "",
      id);
}

std::string streamed_part(std::string_view bytes, bool chunked) {
  if (bytes.empty() || !chunked) {
    return std::string(bytes);  // an empty chunk would be the last
  }
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

std::string streamed_end(bool chunked) {
  return chunked ? "0\r\n\r\n" : "";
}

std::string audio_event(std::string_view sound) {
  return fmt::format("data: {{\"type\":\"speech.audio.delta\",\"audio\":\"{}\"}}\n\n",
                     to_base64(sound));
}

// There are no tokens that cost anything: the characters of the text are counted.
std::string done_event(std::size_t characters) {
  const nlohmann::json done = {
      {"type", "speech.audio.done"},
      {"usage",
       {{"input_tokens", characters}, {"output_tokens", 0}, {"total_tokens", characters}}}};
  return fmt::format("data: {}\n\ndata: [DONE]\n\n", done.dump());
}

}  // namespace qanat
