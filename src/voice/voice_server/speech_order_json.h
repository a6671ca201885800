// The body of POST /v1/audio/speech, as OpenAI's clients send it. Pure; for untrusted bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "audio/sound_encoder.h"
#include "base/result.h"
#include "voice_server/voice_engine.h"

namespace qanat {

enum class AnswerForm { audio, events };

struct SpeechAsk {
  SpeechOrder order;
  SoundFormat format = SoundFormat::mp3;  // OpenAI's default
  AnswerForm form = AnswerForm::audio;
  std::size_t characters = 0;  // of the text
};

struct AskProblem {
  Message message;
  std::string field{};  // that it is about; empty: the whole
};

struct AskLimits {
  std::size_t characters = 4096;
};

// `model` may be anything and `instructions` are ignored: there is one voice model, and it takes
// none. Voices are not looked up here. The reason says what was expected.
struct AskParse {
  std::optional<AskProblem> problem{};  // absent: `ask` counts
  SpeechAsk ask{};
};
AskParse parse_speech_ask(std::string_view json, const AskLimits& limits);

// The voice a client means: one of the list by its id; the first for "", "default" and for the
// names of OpenAI's own voices, which clients ask for unless they are told otherwise. Nothing:
// unknown.
std::optional<std::string> find_voice(const VoiceFacts& facts, const std::string& asked);

}  // namespace qanat
