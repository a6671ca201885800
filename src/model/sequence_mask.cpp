#include "model/sequence_mask.h"

#include <torch/torch.h>

namespace qanat {

SequenceMask make_sequence_mask(const torch::Tensor& lengths,
                                std::int64_t positions,
                                const torch::TensorOptions& options) {
  const torch::Tensor index = torch::arange(positions, lengths.options());
  const torch::Tensor valid = (index.unsqueeze(0) < lengths.unsqueeze(1)).to(options);  // [B, T]
  // Finite, so that a row without any key is not NaN; exp(-1e4) is 0 in every floating type.
  return {valid.unsqueeze(2), ((valid - 1) * 1e4).unsqueeze(1)};
}

}  // namespace qanat
