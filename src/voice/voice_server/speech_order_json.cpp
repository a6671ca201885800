#include "voice_server/speech_order_json.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "locale/messages/voice_server.h"
#include "voice_server/shallow_json.h"

namespace qanat {
namespace {

using Json = nlohmann::json;

constexpr double kSlowest = 0.25;
constexpr double kFastest = 4.0;

AskParse problem(Message message, std::string field) {
  return {.problem = AskProblem{.message = std::move(message), .field = std::move(field)}};
}

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

std::optional<AskProblem> read_text(const Json& body, const AskLimits& limits, SpeechAsk& ask) {
  const Json* input = find(body, "input");
  if (input == nullptr || !input->is_string() || is_blank(input->get_ref<const std::string&>())) {
    return AskProblem{msg::voice_no_input{}, "input"};
  }
  ask.order.text = input->get<std::string>();
  ask.characters = num_code_points(ask.order.text);
  if (ask.characters > limits.characters) {
    return AskProblem{
        msg::voice_input_too_long{.characters = ask.characters, .most = limits.characters},
        "input"};
  }
  return std::nullopt;
}

std::optional<AskProblem> read_voice(const Json& body, SpeechAsk& ask) {
  const Json* voice = find(body, "voice");
  if (voice != nullptr && voice->is_object()) {
    voice = find(*voice, "id");
    if (voice == nullptr) {
      return AskProblem{msg::voice_not_a_voice{}, "voice"};
    }
  }
  if (voice != nullptr && !voice->is_string()) {
    return AskProblem{msg::voice_not_a_voice{}, "voice"};
  }
  ask.order.voice = voice == nullptr ? std::string() : voice->get<std::string>();
  return std::nullopt;
}

std::optional<AskProblem> read_format(const Json& body, SpeechAsk& ask) {
  if (const Json* format = find(body, "response_format")) {
    const std::string name =
        format->is_string() ? format->get<std::string>() : std::string(format->type_name());
    const std::optional<SoundFormat> known = to_sound_format(name);
    if (!known) {
      return AskProblem{name == "aac"
                            ? Message(msg::voice_no_aac{})
                            : Message(msg::voice_other_format{.format = excerpt(name, 40)}),
                        "response_format"};
    }
    ask.format = *known;
  }
  if (const Json* form = find(body, "stream_format")) {
    if (*form != "audio" && *form != "sse") {
      return AskProblem{msg::voice_other_stream_format{}, "stream_format"};
    }
    ask.form = *form == "sse" ? AnswerForm::events : AnswerForm::audio;
  }
  return std::nullopt;
}

std::optional<AskProblem> read_speed(const Json& body, SpeechAsk& ask) {
  const Json* speed = find(body, "speed");
  if (speed == nullptr) {
    return std::nullopt;
  }
  const double value = speed->is_number() ? speed->get<double>() : 0.0;
  if (!(value >= kSlowest && value <= kFastest)) {
    return AskProblem{msg::voice_other_speed{}, "speed"};
  }
  ask.order.speed = value;
  return std::nullopt;
}

}  // namespace

AskParse parse_speech_ask(std::string_view json, const AskLimits& limits) {
  const Json body = parse_shallow_json(json);
  if (!body.is_object()) {
    return problem(msg::voice_not_json{}, "");
  }
  AskParse parse;
  parse.problem = read_text(body, limits, parse.ask);
  for (const auto read : {read_voice, read_format, read_speed}) {
    if (!parse.problem) {
      parse.problem = read(body, parse.ask);
    }
  }
  return parse;
}

std::optional<std::string> find_voice(const VoiceFacts& facts, const std::string& asked) {
  static constexpr auto kOpenAiVoices = std::to_array<std::string_view>({"alloy",
                                                                         "ash",
                                                                         "ballad",
                                                                         "coral",
                                                                         "echo",
                                                                         "fable",
                                                                         "onyx",
                                                                         "nova",
                                                                         "sage",
                                                                         "shimmer",
                                                                         "verse",
                                                                         "marin",
                                                                         "cedar",
                                                                         "default",
                                                                         ""});
  if (std::ranges::find(facts.voices, asked, &VoiceName::id) != facts.voices.end()) {
    return asked;
  }
  if (std::ranges::find(kOpenAiVoices, asked) != kOpenAiVoices.end()) {
    return facts.voices.empty() ? std::string() : facts.voices.front().id;
  }
  return std::nullopt;
}

}  // namespace qanat
