#include "voice_server/http_voice.h"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "locale/message_error.h"
#include "locale/messages/voice_server.h"
#include "serve/http_request.h"
#include "serve/http_response.h"
#include "voice_server/http_speech_job.h"
#include "voice_server/voice_page.h"

namespace qanat {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Long enough for any answer: time is limited by the queue and by who does not read.
constexpr Seconds kWhileAnswered{24.0 * 3600};

HttpResponse json_answer(const OrderedJson& body) {
  return {.content_type = "application/json",
          .body = body.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + '\n'};
}

OrderedJson model_json(const VoiceFacts& facts) {
  return {{"id", facts.model}, {"object", "model"}, {"created", 0}, {"owned_by", "qanat"}};
}

OrderedJson voices_json(const VoiceFacts& facts) {
  OrderedJson voices = OrderedJson::array();
  for (const VoiceName& voice : facts.voices) {
    voices.push_back({{"id", voice.id}, {"name", voice.id}, {"description", voice.description}});
  }
  return {{"voices", voices}};
}

// "/v1/audio/voices" and "/audio/voices" are the same.
std::string_view without_version(std::string_view path) {
  return path.starts_with("/v1/") ? path.substr(3) : path;
}

bool is_open_to_all(const HttpRequest& request) {
  return request.path == "/health" || request.path == "/healthz";
}

// A page of another site may send a request here, though it may not read the answer.
bool comes_from_elsewhere(const HttpRequest& request) {
  const std::string origin = request.header("origin");
  const std::string host = request.header("host");
  return !origin.empty() && origin != "http://" + host && origin != "https://" + host;
}

class HttpVoiceSession : public Session {
 public:
  HttpVoiceSession(VoiceDesk& desk, Caller caller) : desk_(desk), caller_(std::move(caller)) {}

  std::size_t take(std::string_view bytes) override {
    if (answered_) {
      return bytes.size();
    }
    HttpParse parse = parse_request(bytes, {.body = kMaxSpeechBody});
    if (parse.state == HttpParse::State::incomplete) {
      if (parse.awaits_continue && !std::exchange(continued_, true)) {
        caller_.outbox->push("HTTP/1.1 100 Continue\r\n\r\n");
      }
      return 0;
    }
    answered_ = true;
    if (parse.state == HttpParse::State::refused) {
      finish(error_answer(parse.status, std::string(status_reason(parse.status))));
      return bytes.size();
    }
    parse.request.port = caller_.port;
    answer(parse.request);
    return bytes.size();
  }

  Seconds patience(bool /*has_begun*/) const override {
    return answered_ ? kWhileAnswered : desk_.limits.request;
  }
  std::size_t most_input() const override { return kMaxRequestBytes + kMaxSpeechBody; }

 private:
  void finish(const std::string& bytes) {
    caller_.outbox->push(bytes);
    caller_.outbox->finish();
  }

  void answer(const HttpRequest& request) {
    const AccessRules rules{.port = request.port, .token = desk_.token};
    const std::optional<int> refusal =
        is_open_to_all(request) ? std::nullopt : check_access(request, rules);
    if (refusal || comes_from_elsewhere(request)) {
      const int status = refusal.value_or(403);
      const Translator words = words_of(request);
      finish(error_answer(status,
                          status == 401   ? words.tr(msg::voice_no_token{})
                          : status == 421 ? words.tr(msg::voice_other_host{})
                                          : std::string(status_reason(status))));
      return;
    }
    const std::string_view path = without_version(request.path);
    if (path == "/audio/speech") {
      request.method == "POST" ? speak(request) : finish(error_answer(405, "POST"));
      return;
    }
    if (request.method == "POST") {
      finish(error_answer(404, std::string(status_reason(404))));
      return;
    }
    const BodyPart part = request.head_only ? BodyPart::head_only : BodyPart::whole;
    finish(to_bytes(page_or_list(request, path), part));
  }

  HttpResponse page_or_list(const HttpRequest& request, std::string_view path) const {
    const VoiceFacts& facts = desk_.engine.facts();
    if (path == "/audio/voices") {
      return json_answer(voices_json(facts));
    }
    if (path == "/audio/models") {
      return json_answer({{"models", OrderedJson::array({{{"id", facts.model}}})}});
    }
    if (path == "/models") {
      return json_answer({{"object", "list"}, {"data", OrderedJson::array({model_json(facts)})}});
    }
    if (path == "/models/" + facts.model) {
      return json_answer(model_json(facts));
    }
    if (path == "/health" || path == "/healthz") {
      return json_answer({{"status", "ok"}, {"jobs", desk_.queue.num_jobs()}});
    }
    if (path == "/metrics") {
      return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
              .body = desk_.metrics.prometheus_text({.connections = caller_.counts(),
                                                     .jobs = desk_.queue.num_jobs(),
                                                     .running = desk_.queue.num_running()})};
    }
    if (std::optional<HttpResponse> page = voice_page(request, facts, desk_.words)) {
      return *std::move(page);
    }
    return refuse(404);
  }

  // Errors are said in Persian to who asks for it, as the page does.
  static Translator words_of(const HttpRequest& request) {
    return Translator(request.header("accept-language").starts_with("fa") ? Language::fa
                                                                          : Language::en);
  }

  void refuse_speech(const std::string& answer, SpeechOutcome outcome) {
    desk_.metrics.count(VoiceProtocol::http, outcome);
    finish(answer);
  }

  void speak(const HttpRequest& request) {
    const Translator words = words_of(request);
    const VoiceFacts& facts = desk_.engine.facts();
    AskParse parse = parse_speech_ask(request.body, {.characters = desk_.limits.characters});
    if (parse.problem) {
      refuse_speech(error_answer(400, words.tr(parse.problem->message), parse.problem->field),
                    SpeechOutcome::refused);
      return;
    }
    const std::optional<std::string> voice = find_voice(facts, parse.ask.order.voice);
    if (!voice) {
      refuse_speech(
          error_answer(400, words.tr(unknown_voice(facts, parse.ask.order.voice)), "voice"),
          SpeechOutcome::refused);
      return;
    }
    parse.ask.order.voice = *voice;
    auto job = std::make_shared<HttpSpeechJob>(HttpSpeechAnswer{.ask = std::move(parse.ask),
                                                                .chunked = !request.is_old,
                                                                .words = words,
                                                                .id = make_token()},
                                               facts,
                                               desk_.metrics,
                                               caller_.outbox);
    SpeechQueue& queue = desk_.queue;
    caller_.outbox->when_changed([&queue] { queue.look_again(); });
    if (!queue.submit(caller_.address, std::move(job))) {
      refuse_speech(error_answer(503, words.tr(msg::voice_busy{.jobs = desk_.limits.jobs})),
                    SpeechOutcome::busy);
    }
  }

  VoiceDesk& desk_;
  const Caller caller_;
  bool answered_ = false;
  bool continued_ = false;
};

}  // namespace

Message unknown_voice(const VoiceFacts& facts, const std::string& asked) {
  constexpr std::size_t kShown = 20;
  std::vector<std::string> known;
  for (const VoiceName& voice : facts.voices) {
    known.push_back(known.size() < kShown ? voice.id : "…");
    if (known.size() > kShown) {
      break;
    }
  }
  return msg::voice_unknown{.voice = asked, .known = known};
}

std::unique_ptr<Session> make_http_voice_session(VoiceDesk& desk, Caller caller) {
  return std::make_unique<HttpVoiceSession>(desk, std::move(caller));
}

std::string http_busy_answer() {
  return error_answer(503, Translator().tr(msg::voice_too_many_clients{}));
}

}  // namespace qanat
