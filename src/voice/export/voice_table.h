// From the tensors of a checkpoint to what a graph is written from: plain arrays, and what the
// speaker encoder says of everybody who will speak.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "checkpoint_files/checkpoint_state.h"
#include "export/graph_builder.h"
#include "export/speech_graph.h"

namespace qanat {

// Makes f32 arrays on the CPU; tensors whose names begin with one of `without` are left out.
ArrayMap to_arrays(const TensorMap& tensors, const std::vector<std::string>& without = {});
Array to_array(const torch::Tensor& tensor);

// Somebody: of the speaker table, of a recording, or nobody in particular.
struct VoiceSource {
  std::optional<int> speaker{};
  std::vector<float> reference{};  // log-mel, [frames, mel_bins]
};

// Throws Error naming the first weight that does not fit the network.
VoiceTable make_voice_table(const CheckpointState& state,
                            const TensorMap& weights,
                            const std::vector<VoiceSource>& sources);

// How far what the model says with its weights rounded to sixteen bits is from what it says, for
// `tokens` with the durations of the latter: natural logs of mel.
struct RoundingDifference {
  double mean = 0;
  double max = 0;
};
RoundingDifference rounding_difference(const CheckpointState& state,
                                       const TensorMap& weights,
                                       const VoiceSource& voice,
                                       const std::vector<std::int64_t>& tokens);

}  // namespace qanat
