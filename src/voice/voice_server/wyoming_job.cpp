#include "voice_server/wyoming_job.h"

#include <cstdint>
#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "audio/sample_format.h"
#include "base/error.h"
#include "locale/message_error.h"
#include "locale/messages/voice_server.h"
#include "voice_server/wyoming_event.h"

namespace qanat {

WyomingJob::WyomingJob(Kind kind,
                       std::string voice,
                       const VoiceFacts& facts,
                       VoiceMetrics& metrics,
                       std::shared_ptr<Outbox> outbox)
    : kind_(kind),
      voice_(std::move(voice)),
      facts_(facts),
      metrics_(metrics),
      outbox_(std::move(outbox)) {}

void WyomingJob::add(std::string text) {
  const std::lock_guard lock(mutex_);
  asked_ = asked_ ? asked_ : Clock::now();
  texts_.push_back(std::move(text));
}

void WyomingJob::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

bool WyomingJob::is_ready() const {
  const std::lock_guard lock(mutex_);
  return outbox_->has_room() && (speech_ != nullptr || !texts_.empty() || closed_);
}

std::optional<std::string> WyomingJob::next_text() {
  const std::lock_guard lock(mutex_);
  if (texts_.empty()) {
    return std::nullopt;
  }
  std::string text = std::move(texts_.front());
  texts_.pop_front();
  return text;
}

SpeechJob::Next WyomingJob::make_part(SpeechMaker& maker) {
  try {
    return speak(maker);
  } catch (const Error& refused) {
    if (kind_ == Kind::stream) {
      const std::lock_guard lock(mutex_);
      speech_.reset();  // a sentence of nothing but marks, say: the others are spoken
      return Next::more;
    }
    send_error(Translator().said(reason_of(refused)), "text");
    return end(SpeechOutcome::refused);
  } catch (const std::exception&) {
    send_error(Translator().tr(msg::voice_failed{}), "failed");
    return end(SpeechOutcome::failed);
  }
}

SpeechJob::Next WyomingJob::speak(SpeechMaker& maker) {
  const Clock::time_point begin = Clock::now();
  if (speech_ == nullptr) {
    const std::optional<std::string> text = next_text();
    if (!text) {
      const std::unique_lock lock(mutex_);
      if (!closed_ || !texts_.empty()) {
        return Next::more;
      }
    } else {
      std::unique_ptr<Speech> speech = maker.begin({.text = *text, .voice = voice_});
      const std::lock_guard lock(mutex_);  // is_ready() looks at it
      speech_ = std::move(speech);
    }
  }
  if (speech_ == nullptr) {
    return end(SpeechOutcome::spoken);
  }
  if (const std::optional<std::vector<float>> samples = maker.next(*speech_)) {
    send_sound(*samples);
    metrics_.add({.audio = Seconds(static_cast<double>(samples->size()) /
                                   static_cast<double>(facts_.rate.value)),
                  .work = seconds_since(begin)});
    return Next::more;
  }
  const std::lock_guard lock(mutex_);
  speech_.reset();
  return Next::more;
}

void WyomingJob::send_sound(const std::vector<float>& samples) {
  const nlohmann::json format = {
      {"rate", facts_.rate.value}, {"width", sizeof(std::int16_t)}, {"channels", 1}};
  std::string bytes;
  if (samples_ == 0) {
    bytes = to_bytes(WyomingEvent{.type = "audio-start", .data = format});
    const std::lock_guard lock(mutex_);
    metrics_.first_audio(seconds_since(*asked_));
  }
  std::vector<std::int16_t> rounded(samples.size());
  to_pcm16(samples, rounded);
  WyomingEvent chunk{.type = "audio-chunk", .data = format};
  chunk.payload.assign(reinterpret_cast<const char*>(rounded.data()),
                       rounded.size() * sizeof(std::int16_t));
  chunk.data["timestamp"] = samples_ * 1000 / facts_.rate.value;  // milliseconds
  samples_ += static_cast<std::int64_t>(samples.size());
  outbox_->push(bytes + to_bytes(chunk));
}

void WyomingJob::send_error(const std::string& text, const char* code) {
  outbox_->push(to_bytes(WyomingEvent{.type = "error", .data = {{"text", text}, {"code", code}}}));
}

SpeechJob::Next WyomingJob::end(SpeechOutcome outcome) {
  if (samples_ > 0) {
    outbox_->push(to_bytes(WyomingEvent{
        .type = "audio-stop", .data = {{"timestamp", samples_ * 1000 / facts_.rate.value}}}));
  }
  if (kind_ == Kind::stream) {
    outbox_->push(to_bytes(WyomingEvent{.type = "synthesize-stopped"}));
  }
  metrics_.count(VoiceProtocol::wyoming, outcome);
  over_ = true;
  outbox_->ring();
  return Next::done;
}

void WyomingJob::expire() {
  send_error(Translator().tr(msg::voice_out_of_time{}), "time");
  end(SpeechOutcome::expired);
}

void WyomingJob::on_cancel() {
  metrics_.count(VoiceProtocol::wyoming, SpeechOutcome::cancelled);
  over_ = true;
}

}  // namespace qanat
