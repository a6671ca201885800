// What every session of the voice server needs: who speaks, whose turn it is, and what is counted.
#pragma once

#include <cstddef>
#include <string>

#include "base/time.h"
#include "locale/translator.h"
#include "serve/access.h"
#include "voice_server/speech_order_json.h"
#include "voice_server/speech_queue.h"
#include "voice_server/voice_engine.h"
#include "voice_server/voice_metrics.h"

namespace qanat {

struct VoiceLimits {
  std::size_t characters = 4096;  // of a text
  std::size_t jobs = 100;         // that are spoken or wait
  std::size_t clients = 256;      // connections
  Seconds request{10};            // until a request is complete
  Seconds wait{60};               // for a worker
  Seconds job{900};               // until it is answered as a whole
  Seconds unread{10};             // without a byte read, a client is dropped
};

// Fixture; outlives the sessions. Of the fields those that are not const are safe from any thread.
struct VoiceDesk {
  const VoiceEngine& engine;
  const VoiceLimits limits;
  const std::string token;  // empty: none is asked for
  const Translator words;   // of the page
  SpeechQueue& queue;
  VoiceMetrics& metrics;
};

}  // namespace qanat
