#include "torch_features/torch_features.h"

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <vector>

#include <torch/torch.h>

#include "base/error.h"
#include "torch_binding/torch_device.h"
#include "torch_features/mel_bands.h"

namespace qanat {
namespace {

constexpr std::int64_t kRowsAtOnce = 4;
constexpr double kFullScale = 32768.0;
constexpr double kMagnitudeFloor = 1e-9;  // under the root, as the native extractor has it

// Periodic Hann, centred in the transform. [fft_size]
torch::Tensor make_window(const MelConfig& config) {
  torch::Tensor window = torch::zeros({config.fft_size}, torch::kFloat64);
  const std::int64_t before = (config.fft_size - config.window) / 2;
  const torch::Tensor phase = torch::arange(config.window, torch::kFloat64) / config.window;
  window.narrow(0, before, config.window)
      .copy_(0.5 - 0.5 * torch::cos(2 * std::numbers::pi * phase));
  return (window / kFullScale).to(torch::kFloat32);
}

// A part of a block as a tensor of [rows, columns]; shares its memory.
torch::Tensor view(const std::byte* begin,
                   std::int64_t rows,
                   std::int64_t columns,
                   const torch::TensorOptions& options) {
  return torch::from_blob(const_cast<std::byte*>(begin), {rows, columns}, options);
}

}  // namespace

struct TorchFeatures::Tables {
  MelConfig config;
  torch::Device device;
  torch::Tensor window;  // [fft_size], for samples in units of 2^-15
  torch::Tensor bands;   // [fft_size / 2 + 1, mel_bins]

  // samples: i16 [rows, room], lengths: i64 [rows, 1]. Returns i16 [rows, reach]: every row from
  // `reach_before` its first sample on, mirrored at both of its own ends.
  torch::Tensor mirrored(const torch::Tensor& samples,
                         const torch::Tensor& lengths,
                         std::int64_t frames) const {
    const std::int64_t before = (config.fft_size - config.hop) / 2;
    const std::int64_t reach = frames * config.hop + config.fft_size - config.hop;
    const torch::Tensor at =
        torch::arange(-before, reach - before, lengths.options()).unsqueeze(0);  // [1, reach]
    const torch::Tensor period = (2 * (lengths - 1)).clamp_min(1);               // [rows, 1]
    const torch::Tensor folded = torch::remainder(at, period);
    const torch::Tensor index = torch::where(folded < lengths, folded, period - folded);
    return samples.gather(1, index);
  }

  // f32 [rows, frames, mel_bins]
  torch::Tensor log_mel(const torch::Tensor& samples, std::int64_t frames) const {
    const torch::Tensor windowed =
        samples.to(torch::kFloat32).unfold(1, config.fft_size, config.hop) * window;
    const torch::Tensor parts = torch::view_as_real(torch::fft::rfft(windowed));
    const torch::Tensor magnitude = (parts.square().sum(-1) + kMagnitudeFloor).sqrt();
    return torch::matmul(magnitude.narrow(1, 0, frames), bands).clamp_min(config.log_floor).log();
  }
};

TorchFeatures::TorchFeatures(const MelConfig& config, const Device& device) {
  const std::vector<std::string> wrong = problems(config);
  if (!wrong.empty()) {
    throw Error("mel: {}", wrong.front());
  }
  checked_default_mel(config);
  const torch::Device where = torch_device(device);
  tables_ = std::make_unique<Tables>(Tables{.config = config,
                                            .device = where,
                                            .window = make_window(config).to(where),
                                            .bands = mel_bands(config).to(where)});
}

TorchFeatures::~TorchFeatures() = default;

void TorchFeatures::extract(const ConstBlockView& pcm, const BlockView& mel) {
  const torch::InferenceMode no_gradients;
  const BatchLayout& from = pcm.layout;
  const BatchLayout& to = mel.layout;
  const std::int64_t rows = from.shape.rows;
  const std::int64_t frames = to.shape.frames;
  const auto integers = torch::dtype(torch::kInt32).device(tables_->device);
  const auto carry = [&](std::size_t source, std::size_t target, std::int64_t columns) {
    view(mel.bytes.data() + target, rows, columns, integers)
        .copy_(view(pcm.bytes.data() + source, rows, columns, integers));
  };
  carry(from.tokens, to.tokens, from.shape.tokens);
  carry(from.frame_lengths, to.frame_lengths, 1);
  carry(from.token_lengths, to.token_lengths, 1);
  carry(from.speakers, to.speakers, 1);
  carry(from.items, to.items, 1);

  const torch::Tensor samples = view(pcm.bytes.data() + from.payload,
                                     rows,
                                     static_cast<std::int64_t>(from.row_values()),
                                     integers.dtype(torch::kInt16));
  const torch::Tensor sample_lengths =
      view(pcm.bytes.data() + from.sample_lengths, rows, 1, integers).to(torch::kInt64);
  const torch::Tensor frame_lengths =
      view(pcm.bytes.data() + from.frame_lengths, rows, 1, integers);
  torch::Tensor out = view(mel.bytes.data() + to.payload,
                           rows,
                           static_cast<std::int64_t>(to.row_values()),
                           integers.dtype(torch::kFloat32))
                          .view({rows, frames, to.format.mel_bins});
  const torch::Tensor padding = torch::arange(frames, integers).unsqueeze(0) >= frame_lengths;
  for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
    const std::int64_t count = std::min(kRowsAtOnce, rows - row);
    const torch::Tensor waves = tables_->mirrored(
        samples.narrow(0, row, count), sample_lengths.narrow(0, row, count), frames);
    torch::Tensor part = out.narrow(0, row, count);
    part.copy_(tables_->log_mel(waves, frames));
    part.masked_fill_(padding.narrow(0, row, count).unsqueeze(-1), to.format.mel_padding);
  }
}

}  // namespace qanat
