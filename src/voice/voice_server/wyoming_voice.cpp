#include "voice_server/wyoming_voice.h"

#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/voice_server.h"
#include "voice_server/http_voice.h"
#include "voice_server/sentence_buffer.h"
#include "voice_server/wyoming_event.h"
#include "voice_server/wyoming_job.h"

namespace qanat {
namespace {

using Json = nlohmann::json;

constexpr Seconds kIdle{300};  // between two requests; Home Assistant keeps connections for a while

Json attribution() {
  return {{"name", "Qanat"}, {"url", ""}};
}

Json info_of(const VoiceFacts& facts) {
  Json voices = Json::array();
  for (const VoiceName& voice : facts.voices) {
    voices.push_back({{"name", voice.id},
                      {"attribution", attribution()},
                      {"installed", true},
                      {"description", voice.description.empty() ? voice.id : voice.description},
                      {"version", nullptr},
                      {"languages", facts.languages},
                      {"speakers", nullptr}});
  }
  Json programs = Json::array();
  programs.push_back({{"name", "qanat"},
                      {"attribution", attribution()},
                      {"installed", true},
                      {"description", facts.model},
                      {"version", QANAT_VERSION},
                      {"voices", voices},
                      {"supports_synthesize_streaming", true}});
  Json info = {{"tts", programs}};
  for (const char* other : {"asr", "handle", "intent", "wake", "mic", "snd"}) {
    info[other] = Json::array();
  }
  return info;
}

class WyomingSession : public Session {
 public:
  WyomingSession(VoiceDesk& desk, Caller caller) : desk_(desk), caller_(std::move(caller)) {}

  std::size_t take(std::string_view bytes) override {
    const WyomingParse parse = parse_wyoming_event(bytes);
    switch (parse.state) {
      case WyomingParse::State::incomplete:
        return 0;
      case WyomingParse::State::refused:
        // Nobody knows where the next event begins.
        send_error(Translator().tr(msg::voice_not_wyoming{}), "protocol");
        caller_.outbox->finish();
        return bytes.size();
      case WyomingParse::State::complete:
        break;
    }
    return accept(parse.event) ? parse.bytes : 0;
  }

  Seconds patience(bool has_begun) const override {
    const bool waits_for_us = job_ != nullptr && !job_->is_over() && !in_stream_;
    return waits_for_us ? desk_.limits.job * 2 : has_begun ? desk_.limits.request : kIdle;
  }
  std::size_t most_input() const override { return kMaxWyomingEvent; }

 private:
  // False: later, when what is spoken now is over.
  bool accept(const WyomingEvent& event) {
    const bool is_busy = job_ != nullptr && !job_->is_over();
    if (event.type == "describe") {
      send({.type = "info", .data = info_of(desk_.engine.facts())});
    } else if (event.type == "ping") {
      send({.type = "pong", .data = event.data});
    } else if (event.type == "synthesize") {
      if (in_stream_) {
        return true;  // the whole text again, for servers that know no streams
      }
      if (is_busy) {
        return false;
      }
      begin(WyomingJob::Kind::whole, event);
    } else if (event.type == "synthesize-start") {
      if (is_busy) {
        return false;
      }
      begin(WyomingJob::Kind::stream, event);
    } else if (event.type == "synthesize-chunk" && in_stream_) {
      add(event.text("text"));
    } else if (event.type == "synthesize-stop" && in_stream_) {
      end_stream();
    }
    return true;  // what is not known is not for us
  }

  void begin(WyomingJob::Kind kind, const WyomingEvent& event) {
    const VoiceFacts& facts = desk_.engine.facts();
    const std::string asked = asked_voice(event);
    const std::optional<std::string> voice = find_voice(facts, asked);
    if (!voice) {
      refuse_text(unknown_voice(facts, asked), "voice");
      return;
    }
    in_stream_ = kind == WyomingJob::Kind::stream;
    characters_ = 0;
    sentences_ = {};
    job_ = std::make_shared<WyomingJob>(kind, *voice, facts, desk_.metrics, caller_.outbox);
    if (!in_stream_) {
      const std::string text = event.text("text");
      if (num_code_points(text) > desk_.limits.characters) {
        job_.reset();
        refuse_text(msg::voice_input_too_long{.characters = num_code_points(text),
                                              .most = desk_.limits.characters},
                    "length");
        return;
      }
      job_->add(text);
      job_->close();
    }
    SpeechQueue& queue = desk_.queue;
    caller_.outbox->when_changed([&queue] { queue.look_again(); });
    if (!queue.submit(caller_.address, job_)) {
      job_.reset();
      in_stream_ = false;
      desk_.metrics.count(VoiceProtocol::wyoming, SpeechOutcome::busy);
      send_error(Translator().tr(msg::voice_busy{.jobs = desk_.limits.jobs}), "busy");
    }
  }

  static std::string asked_voice(const WyomingEvent& event) {
    const std::string speaker = event.text("voice", "speaker");
    return speaker.empty() ? event.text("voice", "name") : speaker;
  }

  void add(const std::string& text) {
    characters_ += num_code_points(text);
    if (characters_ > desk_.limits.characters) {
      send_error(Translator().tr(msg::voice_input_too_long{.characters = characters_,
                                                           .most = desk_.limits.characters}),
                 "length");
      end_stream();
      return;
    }
    for (std::string& sentence : sentences_.add(text)) {
      job_->add(std::move(sentence));
    }
    desk_.queue.look_again();
  }

  void end_stream() {
    if (std::optional<std::string> rest = sentences_.finish()) {
      job_->add(*std::move(rest));
    }
    job_->close();
    in_stream_ = false;
    desk_.queue.look_again();
  }

  void refuse_text(const Message& why, const char* code) {
    desk_.metrics.count(VoiceProtocol::wyoming, SpeechOutcome::refused);
    send_error(Translator().tr(why), code);
  }

  void send_error(const std::string& text, const char* code) {
    send({.type = "error", .data = {{"text", text}, {"code", code}}});
  }

  void send(const WyomingEvent& event) { caller_.outbox->push(to_bytes(event)); }

  VoiceDesk& desk_;
  const Caller caller_;
  std::shared_ptr<WyomingJob> job_;  // shared with the queue; the last one
  bool in_stream_ = false;           // its text is not complete
  std::size_t characters_ = 0;       // of the stream
  SentenceBuffer sentences_;
};

}  // namespace

std::unique_ptr<Session> make_wyoming_session(VoiceDesk& desk, Caller caller) {
  return std::make_unique<WyomingSession>(desk, std::move(caller));
}

}  // namespace qanat
