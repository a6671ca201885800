#include "torch_features/mel_bands.h"

#include <cstddef>

#include <torch/torch.h>

#include "features/mel_filterbank.h"

namespace qanat {

torch::Tensor mel_bands(const MelConfig& config) {
  const MelFilterbank bank = make_mel_filterbank(config);
  torch::Tensor bands = torch::zeros({config.fft_size / 2 + 1, config.mel_bins});
  auto weights = bands.accessor<float, 2>();
  int weight = 0;
  for (int side = 0; side <= config.mel_bins; ++side) {
    for (; weight < bank.side_ends[static_cast<std::size_t>(side)]; ++weight) {
      const BinWeights& of_bin = bank.weights[static_cast<std::size_t>(weight)];
      const int bin = bank.first_bin + weight;
      if (side < config.mel_bins) {
        weights[bin][side] += of_bin.rising;
      }
      if (side > 0) {
        weights[bin][side - 1] += of_bin.falling;
      }
    }
  }
  return bands;
}

}  // namespace qanat
