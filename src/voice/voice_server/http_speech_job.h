// One POST /v1/audio/speech, from its turn to its last byte.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "audio/sound_encoder.h"
#include "base/time.h"
#include "locale/translator.h"
#include "voice_server/outbox.h"
#include "voice_server/speech_order_json.h"
#include "voice_server/speech_queue.h"
#include "voice_server/voice_metrics.h"

namespace qanat {

// {"error":{...}} as OpenAI's clients and Open WebUI show it, with its head.
std::string error_answer(int status, const std::string& message, const std::string& field = "");

struct HttpSpeechAnswer {
  SpeechAsk ask;
  bool chunked = true;  // false: HTTP/1.0
  Translator words{};   // of the errors
  std::string id = {};  // of the request
  Clock::time_point asked = Clock::now();
};

class HttpSpeechJob : public SpeechJob {
 public:
  // `facts` and `metrics` outlive it; the outbox is shared with the connection.
  HttpSpeechJob(HttpSpeechAnswer answer,
                const VoiceFacts& facts,
                VoiceMetrics& metrics,
                std::shared_ptr<Outbox> outbox);

  Next make_part(SpeechMaker& maker) override;
  void expire() override;
  bool is_ready() const override { return outbox_->has_room(); }
  bool is_cancelled() const override { return outbox_->is_gone(); }
  void on_cancel() override;

 private:
  Next speak(SpeechMaker& maker);
  void send(const std::string& sound);
  Next end(SpeechOutcome outcome);

  const HttpSpeechAnswer answer_;
  const VoiceFacts& facts_;
  VoiceMetrics& metrics_;
  const std::shared_ptr<Outbox> outbox_;  // shared with the connection
  std::unique_ptr<Speech> speech_;
  std::optional<SoundEncoder> encoder_;
  bool has_head_ = false;
};

}  // namespace qanat
