// What the demo says at its end: a sentence in each language of the start weights, as sound files
// and as a section of its page. Where it cannot speak, it says why instead.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/message.h"
#include "report/document.h"
#include "speech/synth_session.h"

namespace qanat {

struct DemoSpeech {
  std::vector<SpokenText> said{};
  std::optional<MessageArg> why_not{};  // nothing was said, and nobody stopped it
};

// `folder`: for the sound files. The demo is worth its page without a voice: no Error is thrown.
DemoSpeech speak_demo(const std::filesystem::path& folder,
                      const std::function<void(const Message&)>& warn,
                      const std::stop_token& stop);

// The page is in the folder of the sound files.
Section to_section(const DemoSpeech& speech);

}  // namespace qanat
