// Says the same sentences again and again while a model is trained, as sound and as picture: the
// `render` of a Trainer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/language_tag.h"
#include "base/time.h"
#include "checkpoint/safetensors.h"
#include "checkpoint_files/checkpoint_state.h"
#include "features/mel_config.h"
#include "metrics/journal_event.h"
#include "speech/vocoder.h"
#include "text/text_front_end.h"

namespace qanat {

struct EvaluationSentence {
  std::string text;
  std::optional<LanguageTag> language{};  // unset: by the script, as choose_language() does
  std::vector<float> recording{};  // of somebody who says it, full scale 1; empty: there is none
};

// One sentence a line, its language by its script; without a file one of each language. Throws
// Error when the file cannot be read or has none.
std::vector<EvaluationSentence> read_evaluation_sentences(
    const std::optional<std::filesystem::path>& file);

// What was said with the weights of a step.
struct EvaluationRender {
  std::filesystem::path folder;  // of the step; sentence 1 is sentence-1.wav and .png, and so on
  struct Sentence {
    std::string text;
    Seconds length{0};
    std::vector<EvaluationRendered::Symbol> symbols{};  // see there, like the recording
    std::optional<std::string> recording{};
  };
  std::string vocoder;  // who spoke, as Vocoder::name()
  std::vector<Sentence> sentences;
  MelConfig mel;
};
// What a page needs beside the files, frequencies for the axis of the pictures included.
EvaluationRendered to_event(const EvaluationRender& render, std::int64_t step, Seconds took);

// Writes a recording that renders are compared with into their folder, once: it is named by what
// it holds. Returns its name.
std::string write_recording(const std::filesystem::path& folder,
                            std::span<const float> samples,
                            SampleRate rate);

// Speaks with the vocoder in the folder `vocoder` beside the checkpoints, as `qanat synth` does:
// looked for at every render, because it may be trained meanwhile. Where there is none, or none
// that fits, with Griffin-Lim. For one thread at a time.
class EvaluationRenderer {
 public:
  // Throws Error naming a sentence that cannot be read aloud, unless it was recorded: such a one is
  // left out.
  EvaluationRenderer(CheckpointState state,
                     std::shared_ptr<const TextFrontEnd> text,
                     const std::vector<EvaluationSentence>& sentences,
                     std::filesystem::path folder);

  // Writes folder/step-000001000/sentence-1.wav, .png, ... with these weights, and the recordings
  // into folder.
  EvaluationRender render(std::int64_t step, const TensorMap& weights);

 private:
  CheckpointState state_;
  std::shared_ptr<const TextFrontEnd> text_;  // shared with the loader's workers
  struct Sentence {
    std::string text;
    TokenIds tokens;
    std::vector<float> recording;
  };
  std::vector<Sentence> sentences_;
  std::filesystem::path folder_;
  Vocoder& vocoder();

  std::unique_ptr<Vocoder> griffin_lim_;
  std::unique_ptr<Vocoder> trained_;  // that was found last
};

}  // namespace qanat
