// One `synthesize` of a Wyoming client, or one stream of text: spoken as sentences come.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "voice_server/outbox.h"
#include "voice_server/speech_queue.h"
#include "voice_server/voice_metrics.h"

namespace qanat {

// Events to the client are in the order that its library expects: audio-start with the first sound,
// audio-chunk..., audio-stop, and behind a stream synthesize-stopped.
class WyomingJob : public SpeechJob {
 public:
  enum class Kind { whole, stream };

  // `facts` and `metrics` outlive it; the outbox is shared with the connection.
  WyomingJob(Kind kind,
             std::string voice,
             const VoiceFacts& facts,
             VoiceMetrics& metrics,
             std::shared_ptr<Outbox> outbox);

  // For the session: more to say, and that it was all.
  void add(std::string text);
  void close();
  bool is_over() const { return over_.load(); }

  Next make_part(SpeechMaker& maker) override;
  void expire() override;
  bool is_ready() const override;
  bool is_cancelled() const override { return outbox_->is_gone(); }
  void on_cancel() override;

 private:
  std::optional<std::string> next_text();
  Next speak(SpeechMaker& maker);
  void send_sound(const std::vector<float>& samples);
  void send_error(const std::string& text, const char* code);
  Next end(SpeechOutcome outcome);

  const Kind kind_;
  const std::string voice_;
  const VoiceFacts& facts_;
  VoiceMetrics& metrics_;
  const std::shared_ptr<Outbox> outbox_;  // shared with the connection
  mutable std::mutex mutex_;              // guards texts_, closed_ and asked_
  std::deque<std::string> texts_;
  bool closed_ = false;
  std::optional<Clock::time_point> asked_;  // when the first text was there
  std::atomic<bool> over_ = false;
  std::unique_ptr<Speech> speech_;  // of the worker
  std::int64_t samples_ = 0;
};

}  // namespace qanat
