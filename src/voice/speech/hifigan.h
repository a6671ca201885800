// The generator of HiFi-GAN (Kong, Kim and Bae 2020), V1 to V3: weights that others have trained,
// as safetensors with the names of the original state dict (docs/en/vocoders.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "checkpoint/safetensors.h"
#include "features/mel_config.h"
#include "speech/vocoder.h"

namespace qanat {

// As its config.json says.
struct HifiGanShape {
  enum class Block { two_convolutions, one_convolution };  // `resblock` "1" and "2"

  Block block = Block::two_convolutions;
  int channels = 512;  // behind the first convolution; halved by every upsampling
  std::vector<int> rates = {8, 8, 2, 2};
  std::vector<int> kernels = {16, 16, 4, 4};  // of the upsampling
  std::vector<int> block_kernels = {3, 7, 11};
  std::vector<std::vector<int>> block_dilations = {{1, 3, 5}, {1, 3, 5}, {1, 3, 5}};
  MelConfig mel;

  bool operator==(const HifiGanShape&) const = default;
};

// Never trusts its input: a Failure names the key that is missing or wrong.
Result<HifiGanShape> to_hifigan_shape(const nlohmann::json& config);

class HifiGan : public Vocoder {
 public:
  // Names with or without `generator.` in front; weights plain, or as the two factors of weight
  // norm. Throws Error naming the first that is missing, of another shape, or unknown.
  HifiGan(HifiGanShape shape, const TensorMap& weights);

  std::string name() const override { return "hifi-gan"; }
  const MelConfig& mel() const override { return shape_.mel; }
  std::optional<int> context() const override;
  std::vector<float> synthesise(std::span<const float> log_mel) override;

  // What it is made of, for whoever writes it down as something else.
  struct Convolution {
    torch::Tensor weight;
    torch::Tensor bias;
  };
  struct ResidualBlock {
    std::vector<Convolution> first;   // dilated
    std::vector<Convolution> second;  // empty with one convolution
    std::vector<int> dilations;
    int kernel = 3;
  };
  struct Stage {
    Convolution up;
    std::vector<ResidualBlock> blocks;  // of which the mean is taken
  };
  const HifiGanShape& shape() const { return shape_; }
  const Convolution& first() const { return in_; }
  const std::vector<Stage>& stages() const { return stages_; }
  const Convolution& last() const { return out_; }

  static constexpr double kSlope = 0.1;       // of every leaky ReLU but the last
  static constexpr double kLastSlope = 0.01;  // which the original leaves at libtorch's default

 private:
  class Taking;

  torch::Tensor forward(torch::Tensor x) const;  // [1, mel_bins, T] to [1, 1, T * hop]
  static torch::Tensor forward(const ResidualBlock& block, torch::Tensor x);

  const HifiGanShape shape_;
  Convolution in_;
  std::vector<Stage> stages_;
  Convolution out_;
};

// A folder with config.json and generator.safetensors, or model.safetensors. Throws Error.
std::unique_ptr<Vocoder> open_hifigan(const std::filesystem::path& folder);

}  // namespace qanat
