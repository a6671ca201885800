// Reads arbitrary bytes as the seal of a checkpoint. What is accepted has to come back unchanged
// when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "checkpoint_files/checkpoint_seal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const qanat::Result<qanat::CheckpointSeal> seal =
      qanat::parse_seal(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!seal) {
    return 0;
  }
  const qanat::Result<qanat::CheckpointSeal> again =
      qanat::parse_seal(qanat::to_text(seal.value()));
  if (!again || !(again.value() == seal.value())) {
    std::abort();
  }
  return 0;
}
