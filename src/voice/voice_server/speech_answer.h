// How speech goes over HTTP: chunks of sound, or server-sent events with sound in them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "voice_server/speech_order_json.h"

namespace qanat {

// Status line and headers of an answer that is sent while it is made.
// `id`: by which client and server mean the same request.
std::string streamed_head(std::string_view content_type, bool chunked, std::string_view id);
// One part of its body; `chunked` as the head says.
std::string streamed_part(std::string_view bytes, bool chunked);
std::string streamed_end(bool chunked);

// The events of OpenAI's `stream_format` "sse".
std::string audio_event(std::string_view sound);
std::string done_event(std::size_t characters);

}  // namespace qanat
