// What a checkpoint of the speech model holds, before a network is made of it.
#pragma once

#include <cstdint>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "checkpoint/safetensors.h"
#include "checkpoint_files/checkpoint_state.h"
#include "speech/chosen_checkpoint.h"

namespace qanat {

struct CheckpointWeights {
  std::int64_t step = 0;
  std::filesystem::path folder;
  CheckpointState state;
  nlohmann::json stored;  // state.json, what the trainer adds included
  TensorMap weights;      // averaged or plain, as was chosen
};

}  // namespace qanat
