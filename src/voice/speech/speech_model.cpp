#include "speech/speech_model.h"

#include <utility>

#include "base/check.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/languages.h"
#include "locale/messages/speech_errors.h"
#include "model/monotonic_search.h"
#include "speech/borrowed_weights.h"
#include "train/model_preset.h"

namespace qanat {
namespace {

torch::Tensor one_number(std::int64_t value) {
  return torch::full({1}, value, torch::kInt64);
}

// i64 [1, N]
torch::Tensor to_row(std::span<const TokenId> tokens) {
  torch::Tensor row = torch::empty({1, static_cast<std::int64_t>(tokens.size())}, torch::kInt64);
  std::copy(tokens.begin(), tokens.end(), row.data_ptr<std::int64_t>());
  return row;
}

// f32 [1, T, bins], a copy.
torch::Tensor to_mel(std::span<const float> mel, int bins) {
  QANAT_CHECK(mel.size() % static_cast<std::size_t>(bins) == 0) << mel.size();
  torch::Tensor tensor =
      torch::empty({1, static_cast<std::int64_t>(mel.size()) / bins, bins}, torch::kFloat32);
  std::copy(mel.begin(), mel.end(), tensor.data_ptr<float>());
  return tensor;
}

std::vector<float> to_values(const torch::Tensor& mel) {
  const torch::Tensor values = mel.contiguous();
  return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

void check_symbols(const StoredText& stored, const TextFrontEnd& text) {
  if (text.tokenizer().hash() != stored.symbol_table_hash) {
    throw MessageError(
        msg::checkpoint_other_symbols{.ours = fmt::format("{:016x}", text.tokenizer().hash()),
                                      .stored = fmt::format("{:016x}", stored.symbol_table_hash)});
  }
}

}  // namespace

int speech_threads(ModelSize size, int cores) {
  return size == ModelSize::nano || size == ModelSize::tiny ? 1 : cores;
}

ModelShape to_model_shape(const CheckpointState& state) {
  ModelShape shape = model_shape(
      to_preset(state.model.size), state.model.vocabulary, static_cast<int>(state.speakers.size()));
  shape.mel_bins = state.mel.mel_bins;
  shape.mel_mean = state.model.mel_mean;
  shape.mel_std = state.model.mel_std;
  return shape;
}

std::shared_ptr<const TextFrontEnd> make_text_front_end(const StoredText& text,
                                                        const std::string& g2p) {
  TextConfig config = make_text_config(text);
  config.g2p = g2p;
  if (text.units == SymbolSet::own && g2p.empty()) {
    throw MessageError(
        msg::front_end_needed{.command = text.g2p.name, .hash = front_end_hash(text.g2p)});
  }
  auto front_end = std::make_shared<const TextFrontEnd>(config);
  check_symbols(text, *front_end);
  return front_end;
}

SpeechModel::SpeechModel(const CheckpointState& state,
                         const TensorMap& weights,
                         std::shared_ptr<const TextFrontEnd> text)
    : state_(state), text_(std::move(text)) {
  check_symbols(state_.text, *text_);
  if (state_.model.vocabulary < text_->tokenizer().size()) {
    throw MessageError(msg::checkpoint_too_few_symbols{.symbols = state_.model.vocabulary,
                                                       .expected = text_->tokenizer().size()});
  }
  network_ = XttsModel(to_model_shape(state_));
  borrow_weights(*network_, weights, "weights of");
  network_->eval();
}

SynthesisInput SpeechModel::to_input(std::span<const TokenId> tokens,
                                     const SpeechOptions& options) const {
  QANAT_CHECK(!tokens.empty()) << "nothing to say";
  SynthesisInput input;
  input.tokens = to_row(tokens);
  input.token_lengths = one_number(input.tokens.size(1));
  if (!options.reference.empty()) {
    input.reference = to_mel(options.reference, state_.mel.mel_bins);
    input.reference_lengths = one_number(input.reference.size(1));
  }
  if (options.speaker) {
    input.speakers = one_number(*options.speaker);
  }
  return input;
}

std::vector<float> SpeechModel::speak(std::span<const TokenId> tokens,
                                      const SpeechOptions& options) {
  return to_values(
      network_->synthesise(to_input(tokens, options), {.length_scale = options.length_scale})
          .front());
}

TimedSpeech SpeechModel::speak_timed(std::span<const TokenId> tokens) {
  const SynthesisInput input = to_input(tokens, {});
  const torch::Tensor frames = network_->predict_durations(input, {})[0].contiguous();
  const auto* const begin = frames.data_ptr<std::int64_t>();
  return {.mel = to_values(network_->synthesise(input, {.durations = {frames}}).front()),
          .frames = {begin, begin + frames.numel()}};
}

Result<std::vector<float>> SpeechModel::predict(std::span<const TokenId> tokens,
                                                std::span<const float> mel,
                                                const SpeechOptions& options) {
  const Result<std::vector<std::int64_t>> frames = align(tokens, mel);
  if (!frames) {
    return frames.failure();
  }
  return to_values(network_
                       ->synthesise(to_input(tokens, options),
                                    {.durations = {torch::tensor(frames.value(), torch::kInt64)}})
                       .front());
}

Result<std::vector<std::int64_t>> SpeechModel::align(std::span<const TokenId> tokens,
                                                     std::span<const float> mel) {
  const torch::NoGradGuard no_grad;
  ModelBatch batch;
  batch.tokens = to_row(tokens);
  batch.token_lengths = one_number(batch.tokens.size(1));
  batch.mel = to_mel(mel, state_.mel.mel_bins);
  batch.mel_lengths = one_number(batch.mel.size(1));
  if (batch.tokens.size(1) > batch.mel.size(1)) {
    return to_failure(
        msg::align_too_short{.tokens = batch.tokens.size(1), .frames = batch.mel.size(1)});
  }
  const torch::Tensor durations = monotonic_durations(
      network_->align(batch).log_probability.contiguous(), batch.token_lengths, batch.mel_lengths);
  const auto* begin = durations.data_ptr<std::int64_t>();
  return std::vector<std::int64_t>(begin, begin + batch.tokens.size(1));
}

}  // namespace qanat
