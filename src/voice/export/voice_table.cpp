#include "export/voice_table.h"

#include <algorithm>
#include <utility>

#include "model/xtts_model.h"
#include "speech/speech_model.h"
#include "train/flat_parameters.h"

namespace qanat {
namespace {

XttsModel make_network(const CheckpointState& state, const TensorMap& weights) {
  XttsModel network(to_model_shape(state));
  const FlatParameters layout(*network);
  const torch::Tensor block = layout.make_block(torch::kCPU);
  layout.load(block, weights, "weights of");
  layout.attach(*network, block);
  network->eval();
  return network;
}

torch::Tensor one_whole(std::int64_t value) {
  return torch::full({1}, value, torch::kInt64);
}

SynthesisInput to_synthesis(const VoiceSource& voice, torch::Tensor tokens, int bins) {
  SynthesisInput input;
  input.token_lengths = one_whole(tokens.size(1));
  input.tokens = std::move(tokens);
  if (!voice.reference.empty()) {
    const auto frames = static_cast<std::int64_t>(voice.reference.size()) / bins;
    input.reference = torch::tensor(voice.reference).view({1, frames, bins});
    input.reference_lengths = one_whole(frames);
  }
  if (voice.speaker) {
    input.speakers = one_whole(*voice.speaker);
  }
  return input;
}

// The speaker encoder reads no text: any will do.
SpeakerCondition condition_of(XttsModel& network, const VoiceSource& voice, int bins) {
  const SynthesisInput input = to_synthesis(voice, torch::ones({1, 1}, torch::kInt64), bins);
  const bool heard = input.reference.defined();
  ModelBatch batch;
  batch.tokens = input.tokens;
  batch.token_lengths = input.token_lengths;
  batch.speakers = input.speakers;
  batch.reference = heard ? input.reference : torch::zeros({1, 1, bins});
  batch.reference_lengths = heard ? input.reference_lengths : one_whole(0);
  return network->encode(batch).speaker;
}

}  // namespace

Array to_array(const torch::Tensor& tensor) {
  const torch::Tensor values = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  return {.dims = values.sizes().vec(),
          .values = {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()}};
}

ArrayMap to_arrays(const TensorMap& tensors, const std::vector<std::string>& without) {
  ArrayMap arrays;
  for (const auto& [name, tensor] : tensors) {
    const bool wanted = std::ranges::none_of(
        without, [&, &own = name](const std::string& start) { return own.starts_with(start); });
    if (wanted) {
      arrays.emplace(name, to_array(tensor));
    }
  }
  return arrays;
}

VoiceTable make_voice_table(const CheckpointState& state,
                            const TensorMap& weights,
                            const std::vector<VoiceSource>& sources) {
  const torch::NoGradGuard no_grad;
  XttsModel network = make_network(state, weights);
  std::vector<torch::Tensor> latents;
  std::vector<torch::Tensor> vectors;
  for (const VoiceSource& source : sources) {
    const SpeakerCondition condition = condition_of(network, source, state.mel.mel_bins);
    latents.push_back(condition.latents);
    vectors.push_back(condition.vector);
  }
  return {.latents = to_array(torch::cat(latents, 0)), .vectors = to_array(torch::cat(vectors, 0))};
}

RoundingDifference rounding_difference(const CheckpointState& state,
                                       const TensorMap& weights,
                                       const VoiceSource& voice,
                                       const std::vector<std::int64_t>& tokens) {
  TensorMap rounded;
  for (const auto& [name, tensor] : weights) {
    rounded.emplace(name, tensor.to(torch::kFloat16).to(torch::kFloat32));
  }
  XttsModel exact = make_network(state, weights);
  XttsModel nearly = make_network(state, rounded);
  const SynthesisInput input =
      to_synthesis(voice, torch::tensor(tokens, torch::kInt64).view({1, -1}), state.mel.mel_bins);
  const SynthesisOptions options{.durations = {exact->predict_durations(input, {})[0]}};
  const torch::Tensor difference = torch::abs(exact->synthesise(input, options).front() -
                                              nearly->synthesise(input, options).front());
  return {.mean = difference.mean().item<double>(), .max = difference.max().item<double>()};
}

}  // namespace qanat
