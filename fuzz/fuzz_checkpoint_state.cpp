// Reads arbitrary bytes as state.json of a checkpoint. What is accepted has to come back unchanged
// when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "checkpoint_files/checkpoint_state.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const nlohmann::json json = nlohmann::json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) {
    return 0;
  }
  const qanat::Result<qanat::CheckpointState> state = qanat::to_checkpoint_state(json);
  if (!state) {
    return 0;
  }
  const qanat::Result<qanat::CheckpointState> again =
      qanat::to_checkpoint_state(qanat::to_json(state.value()));
  if (!again || !(again.value() == state.value())) {
    std::abort();
  }
  return 0;
}
