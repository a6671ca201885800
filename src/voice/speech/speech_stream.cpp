#include "speech/speech_stream.h"

#include <utility>

namespace qanat {
namespace {

constexpr double kPause = 0.2;  // seconds between pieces

}  // namespace

SpeechStream::SpeechStream(PlannedText planned,
                           const SpeechOptions& options,
                           const ChunkLengths& chunks)
    : planned_(std::move(planned)), options_(options), chunks_(chunks) {}

// False when there is none left.
bool SpeechStream::begin_piece(SpeechModel& model) {
  while (next_piece_ < planned_.pieces.size()) {
    const Result<TokenIds> tokens =
        model.text().tokens(planned_.pieces[next_piece_++], planned_.language);
    if (tokens) {
      mel_ = model.speak(tokens.value(), options_);
      vocoding_.emplace(mel_, chunks_);
      return true;
    }
    ++done_;
  }
  return false;
}

std::optional<std::vector<float>> SpeechStream::next(SpeechModel& model, Vocoder& vocoder) {
  std::vector<float> samples;
  if (!vocoding_) {
    if (!begin_piece(model)) {
      return std::nullopt;
    }
    if (std::exchange(has_spoken_, true)) {
      const auto rate = static_cast<double>(vocoder.mel().sample_rate.value);
      samples.assign(static_cast<std::size_t>(kPause * rate), 0.0F);
    }
    chunks_.first = chunks_.most;  // while the first sentence is heard there is time for the next
  }
  const std::vector<float> more = vocoding_->next(vocoder);
  samples.insert(samples.end(), more.begin(), more.end());
  if (vocoding_->is_over()) {
    vocoding_.reset();
    ++done_;
  }
  return samples;
}

}  // namespace qanat
