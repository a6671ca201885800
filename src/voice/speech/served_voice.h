// A trained model as the voice server calls it. Without libtorch in the header: for commands.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/message.h"
#include "speech/chosen_checkpoint.h"
#include "voice_server/voice_engine.h"

namespace qanat {

// A voice by a recording of it.
struct RecordedVoice {
  std::string name;
  std::filesystem::path file;
};

struct ServedVoiceRequest {
  CheckpointChoice checkpoint;
  std::string vocoder{};  // see open_vocoder()
  std::vector<RecordedVoice> voices{};
  std::function<void(const Message&)> warn{};
};

// Its voices are the speakers of the model, then the recordings; "default" where the model has no
// speakers. Each worker has a model and a vocoder of its own on one core; the weights they read are
// the same pages of memory. Throws Error when there is no checkpoint or vocoder, or a recording
// cannot be read.
std::unique_ptr<VoiceEngine> open_served_voice(const ServedVoiceRequest& request);

// One per core that this process may use.
int num_speech_workers();

}  // namespace qanat
