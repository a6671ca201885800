// Forward-sum loss of one utterance and its gradient, on host memory.
//
// Works with probabilities instead of their logarithms: an order of magnitude faster, and it
// notices when probabilities became too small for that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace qanat {

struct ForwardSumRow {
  const float* probability = nullptr;  // [frames, stride]: column 0 no token, column n + 1 token n
  std::int64_t stride = 0;
  std::int64_t tokens = 0;
  std::int64_t frames = 0;
  float* gradient = nullptr;  // [frames, gradient_stride]: by the log weight of token n, column n
  std::int64_t gradient_stride = 0;
};

// Kept between rows. One per thread.
struct ForwardSumWorkspace {
  std::vector<double> token;  // [frames, tokens + 2]
  std::vector<double> blank;  // [frames, tokens + 2]
  std::vector<double> token_after;
  std::vector<double> blank_after;
  std::vector<double> log_scale;  // of the frames of a stretch
};

// The negative log-likelihood; nullopt when it cannot be told in this way. Writes the gradient of
// the row's tokens and frames only.
std::optional<double> forward_sum_row(const ForwardSumRow& row, ForwardSumWorkspace& work);

}  // namespace qanat
