// The voice server over Wyoming, as Home Assistant calls it: describe, synthesize, and text that
// comes while it is spoken (synthesize-start, -chunk, -stop).
#pragma once

#include <memory>

#include "voice_server/stream_server.h"
#include "voice_server/voice_desk.h"

namespace qanat {

// `desk` outlives the session.
std::unique_ptr<Session> make_wyoming_session(VoiceDesk& desk, Caller caller);

}  // namespace qanat
