#include "voice_server/http_speech_job.h"

#include <exception>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "locale/message_error.h"
#include "locale/messages/voice_server.h"
#include "serve/http_response.h"
#include "voice_server/speech_answer.h"

namespace qanat {

std::string error_answer(int status, const std::string& message, const std::string& field) {
  const nlohmann::json body = {
      {"error",
       {{"message", message},
        {"type", status < 500 ? "invalid_request_error" : "server_error"},
        {"param", field.empty() ? nlohmann::json() : nlohmann::json(field)},
        {"code", nullptr}}}};
  return to_bytes(
      HttpResponse{
          .status = status,
          .content_type = "application/json",
          .body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n',
          .headers = status == 503 ? "Retry-After: 1\r\n" : ""},
      BodyPart::whole);
}

HttpSpeechJob::HttpSpeechJob(HttpSpeechAnswer answer,
                             const VoiceFacts& facts,
                             VoiceMetrics& metrics,
                             std::shared_ptr<Outbox> outbox)
    : answer_(std::move(answer)), facts_(facts), metrics_(metrics), outbox_(std::move(outbox)) {}

SpeechJob::Next HttpSpeechJob::make_part(SpeechMaker& maker) {
  try {
    return speak(maker);
  } catch (const Error& refused) {
    // What cannot be said is the client's business while it has heard nothing.
    if (!has_head_) {
      outbox_->push(
          error_answer(400, answer_.words.said(reason_of(refused)), speech_ ? "" : "input"));
      return end(SpeechOutcome::refused);
    }
  } catch (const std::exception&) {
    if (!has_head_) {
      outbox_->push(error_answer(500, answer_.words.tr(msg::voice_failed{})));
      return end(SpeechOutcome::failed);
    }
  }
  outbox_->cut();
  return end(SpeechOutcome::failed);
}

SpeechJob::Next HttpSpeechJob::speak(SpeechMaker& maker) {
  const Clock::time_point begin = Clock::now();
  if (speech_ == nullptr) {
    encoder_.emplace(answer_.ask.format, facts_.rate);
    speech_ = maker.begin(answer_.ask.order);
  }
  const std::optional<std::vector<float>> samples = maker.next(*speech_);
  if (samples) {
    send(encoder_->encode(*samples));
    metrics_.add({.audio = Seconds(static_cast<double>(samples->size()) /
                                   static_cast<double>(facts_.rate.value)),
                  .work = seconds_since(begin)});
    return Next::more;
  }
  send(encoder_->finish());
  if (answer_.ask.form == AnswerForm::events) {
    outbox_->push(streamed_part(done_event(answer_.ask.characters), answer_.chunked));
  }
  outbox_->push(streamed_end(answer_.chunked));
  return end(SpeechOutcome::spoken);
}

// The head goes out with the first sound: until then a refusal has a status of its own.
void HttpSpeechJob::send(const std::string& sound) {
  if (sound.empty()) {
    return;
  }
  const bool events = answer_.ask.form == AnswerForm::events;
  std::string bytes;
  if (!std::exchange(has_head_, true)) {
    bytes = streamed_head(events ? "text/event-stream" : content_type(answer_.ask.format),
                          answer_.chunked,
                          answer_.id);
    metrics_.first_audio(seconds_since(answer_.asked));
  }
  bytes += streamed_part(events ? audio_event(sound) : sound, answer_.chunked);
  outbox_->push(bytes);
}

SpeechJob::Next HttpSpeechJob::end(SpeechOutcome outcome) {
  metrics_.count(VoiceProtocol::http, outcome);
  outbox_->finish();
  return Next::done;
}

void HttpSpeechJob::expire() {
  if (has_head_) {
    outbox_->cut();
  } else {
    outbox_->push(error_answer(503, answer_.words.tr(msg::voice_out_of_time{})));
  }
  end(SpeechOutcome::expired);
}

void HttpSpeechJob::on_cancel() {
  metrics_.count(VoiceProtocol::http, SpeechOutcome::cancelled);
}

}  // namespace qanat
