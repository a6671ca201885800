// The voice server over HTTP: OpenAI's interface for speech, what Open WebUI asks besides, a page,
// health and metrics.
//
// POST /v1/audio/speech                  GET /v1/models, /v1/models/NAME
// GET  /v1/audio/voices, /v1/audio/models   /health, /healthz, /metrics, / (the page)
//
// The prefix /v1 may be left out where Open WebUI does.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "voice_server/stream_server.h"
#include "voice_server/voice_desk.h"

namespace qanat {

inline constexpr std::size_t kMaxSpeechBody = 256 << 10;  // bytes

// `desk` outlives the session.
std::unique_ptr<Session> make_http_voice_session(VoiceDesk& desk, Caller caller);

// Names the voices there are.
Message unknown_voice(const VoiceFacts& facts, const std::string& asked);

// What a client hears that is one too many.
std::string http_busy_answer();

}  // namespace qanat
