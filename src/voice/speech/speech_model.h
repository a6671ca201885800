// A trained model with the text front end it was trained with: text in, log-mel out, and which part
// of a recording each symbol is. For `synth`, `align` and the renders of a training run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"
#include "checkpoint/safetensors.h"
#include "checkpoint_files/checkpoint_state.h"
#include "model/xtts_model.h"
#include "text/text_front_end.h"

namespace qanat {

struct SpeechOptions {
  std::span<const float> reference{};  // log-mel of the voice, [frames, mel_bins]; empty: none
  std::optional<int> speaker{};        // of the speaker table
  double length_scale = 1.0;           // above 1: slower
};

// What was said, and how many frames of it each token is.
struct TimedSpeech {
  std::vector<float> mel;  // [frames, mel_bins], natural logs
  std::vector<std::int64_t> frames;
};

// Fixture; not thread-safe. Works on the CPU.
class SpeechModel {
 public:
  // `text` is shared with whoever else reads text. Throws Error when its symbols are not those of
  // the checkpoint, or naming the first weight that does not fit the network.
  SpeechModel(const CheckpointState& state,
              const TensorMap& weights,
              std::shared_ptr<const TextFrontEnd> text);
  SpeechModel(const SpeechModel&) = delete;
  SpeechModel& operator=(const SpeechModel&) = delete;

  const TextFrontEnd& text() const { return *text_; }
  const CheckpointState& state() const { return state_; }

  // [frames, mel_bins], natural logs.
  std::vector<float> speak(std::span<const TokenId> tokens, const SpeechOptions& options = {});

  TimedSpeech speak_timed(std::span<const TokenId> tokens);

  // How many frames of the recording each token is; they sum to its frames. A Failure when there
  // are more tokens than frames.
  Result<std::vector<std::int64_t>> align(std::span<const TokenId> tokens,
                                          std::span<const float> mel);

  // What it says of the tokens where a recording of them says it: durations are those of align(),
  // so that the frames are those of `mel`, which is the recording's. [frames, mel_bins], natural
  // logs. A Failure as of align(). The length scale has no effect.
  Result<std::vector<float>> predict(std::span<const TokenId> tokens,
                                     std::span<const float> mel,
                                     const SpeechOptions& options = {});

 private:
  SynthesisInput to_input(std::span<const TokenId> tokens, const SpeechOptions& options) const;

  CheckpointState state_;
  std::shared_ptr<const TextFrontEnd> text_;  // shared with the caller
  XttsModel network_{nullptr};
};

// How many of the allowed cores a model of this size can use. In small networks the threads wait
// for each other longer than they compute: on a busy machine two are many times slower than one.
int speech_threads(ModelSize size, int cores);

ModelShape to_model_shape(const CheckpointState& state);

// The front end a checkpoint was trained with; `g2p` is the command of one that was trained with
// such, and is only run when given. Throws Error when its symbols are others now.
std::shared_ptr<const TextFrontEnd> make_text_front_end(const StoredText& text,
                                                        const std::string& g2p = {});

}  // namespace qanat
