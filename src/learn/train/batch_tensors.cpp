#include "train/batch_tensors.h"

#include <algorithm>
#include <cstring>

#include <torch/torch.h>

#include "base/check.h"
#include "model/monotonic_search.h"

namespace qanat {
namespace {

// A part of the block, [rows of the range, width].
torch::Tensor part(const DeviceBatch& batch,
                   std::size_t offset,
                   RowRange rows,
                   std::int64_t width,
                   torch::TensorOptions options) {
  const auto value_bytes = static_cast<std::int64_t>(options.dtype().itemsize());
  // from_blob() takes no const; nothing writes through the view.
  auto* begin =
      const_cast<std::byte*>(batch.bytes.data()) + offset + rows.first * width * value_bytes;
  // Where it is need not be asked of the driver.
  return at::for_blob(begin, {rows.count, width})
      .options(options)
      .target_device(options.device())
      .make_tensor();
}

// For tensors made on the host and read by `device`: pinned unless that is the host itself.
torch::TensorOptions on_host(torch::Device device, torch::ScalarType type) {
  return torch::TensorOptions().dtype(type).pinned_memory(!device.is_cpu());
}

// Without the host waiting for the device to be done with what it was given before.
torch::Tensor send(const torch::Tensor& values, torch::Device device) {
  return values.to(torch::TensorOptions().device(device), /*non_blocking=*/true);
}

torch::Tensor lengths(const std::vector<std::int32_t>& all, RowRange rows, torch::Device device) {
  torch::Tensor values = torch::empty({rows.count}, on_host(device, torch::kInt64));
  std::copy_n(all.begin() + rows.first, rows.count, values.data_ptr<std::int64_t>());
  return send(values, device);
}

// Which frames of the batch the references show, and how many. Made on the host, where the crops
// are known.
struct ReferenceFrames {
  torch::Tensor places;   // i64 [rows, longest]: row * frames of a row + frame
  torch::Tensor lengths;  // i64 [rows]
};

ReferenceFrames reference_frames(std::span<const ReferenceCrop> crops,
                                 int row_frames,
                                 torch::Device device) {
  const auto rows = static_cast<std::int64_t>(crops.size());
  const int longest = std::max(1, std::ranges::max(crops, {}, &ReferenceCrop::frames).frames);
  const torch::TensorOptions integers = on_host(device, torch::kInt64);
  ReferenceFrames frames{.places = torch::empty({rows, longest}, integers),
                         .lengths = torch::empty({rows}, integers)};
  std::int64_t* place = frames.places.data_ptr<std::int64_t>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const ReferenceCrop& crop = crops[static_cast<std::size_t>(row)];
    const std::int64_t first = std::int64_t{crop.row} * row_frames + crop.first;
    for (int i = 0; i < longest; ++i) {
      *place++ = first + std::min(i, std::max(crop.frames - 1, 0));
    }
    frames.lengths.data_ptr<std::int64_t>()[row] = crop.frames;
  }
  return frames;
}

// What a row is shown of itself it is not trained on, nor judged by.
torch::Tensor mel_weights(std::span<const ReferenceCrop> crops,
                          std::span<const std::int32_t> mel_lengths,
                          RowRange rows,
                          int frames,
                          torch::Device device) {
  torch::Tensor weights = torch::zeros({rows.count, frames}, on_host(device, torch::kFloat32));
  float* weight = weights.data_ptr<float>();
  for (int row = rows.first; row < rows.first + rows.count; ++row, weight += frames) {
    const ReferenceCrop& crop = crops[static_cast<std::size_t>(row)];
    std::fill_n(weight, mel_lengths[static_cast<std::size_t>(row)], 1.0F);
    if (crop.row == row) {
      std::fill_n(weight + crop.first, crop.frames, 0.0F);
    }
  }
  return weights;
}

torch::Tensor said_speakers(std::span<const ReferenceCrop> crops,
                            std::span<const std::int32_t> speakers,
                            int table,
                            torch::Device device) {
  torch::Tensor said =
      torch::empty({static_cast<std::int64_t>(crops.size())}, on_host(device, torch::kInt64));
  for (std::size_t row = 0; row < crops.size(); ++row) {
    const bool is_said = crops[row].show_speaker && speakers[row] < table;
    said.data_ptr<std::int64_t>()[row] = is_said ? speakers[row] : -1;
  }
  return said;
}

torch::Tensor rows_of(const torch::Tensor& tensor, RowRange rows) {
  return tensor.defined() ? tensor.narrow(0, rows.first, rows.count) : tensor;
}

}  // namespace

ModelBatch to_model_batch(const DeviceBatch& batch,
                          RowRange rows,
                          const std::vector<ReferenceCrop>& crops,
                          torch::Device device,
                          int speakers) {
  const BatchLayout& layout = batch.layout;
  QANAT_CHECK(layout.format.kind == PayloadKind::mel_f32) << "the model reads mel";
  const auto on_device = torch::TensorOptions().device(device);
  const auto first = static_cast<std::size_t>(rows.first);
  const auto count = static_cast<std::size_t>(rows.count);
  const std::span<const ReferenceCrop> own_crops = std::span(crops).subspan(first, count);
  const int frames = layout.shape.frames;
  const std::int64_t bins = layout.format.mel_bins;

  const torch::Tensor all_mel = part(batch,
                                     layout.payload,
                                     {.count = layout.shape.rows},
                                     frames * bins,
                                     on_device.dtype(torch::kFloat32));

  ModelBatch result;
  result.mel = all_mel.narrow(0, rows.first, rows.count).view({rows.count, frames, bins});
  const auto integers = on_device.dtype(torch::kInt32);
  result.tokens = part(batch, layout.tokens, rows, layout.shape.tokens, integers).to(torch::kInt64);
  for (std::size_t row = first; row < first + count; ++row) {
    require_alignable(
        static_cast<std::int64_t>(row), batch.token_lengths[row], batch.mel_lengths[row]);
  }
  result.mel_lengths = lengths(batch.mel_lengths, rows, device);
  result.token_lengths = lengths(batch.token_lengths, rows, device);
  if (speakers > 0) {
    const std::span<const std::int32_t> own = std::span(batch.speakers).subspan(first, count);
    result.speakers = send(said_speakers(own_crops, own, speakers, device), device);
  }
  const ReferenceFrames reference = reference_frames(own_crops, frames, device);
  result.reference = all_mel.view({-1, bins})
                         .index_select(0, send(reference.places, device).view({-1}))
                         .view({rows.count, -1, bins});
  result.reference_lengths = send(reference.lengths, device);
  result.mel_weights = send(mel_weights(crops, batch.mel_lengths, rows, frames, device), device);
  return result;
}

torch::Tensor to_samples(const DeviceBatch& batch, RowRange rows, torch::Device device) {
  constexpr double kFullScale = 32768;
  const BatchLayout& layout = batch.layout;
  QANAT_CHECK(layout.format.kind == PayloadKind::pcm_s16) << "samples are made of PCM";
  const torch::Tensor pcm = part(batch,
                                 layout.payload,
                                 rows,
                                 static_cast<std::int64_t>(layout.row_values()),
                                 torch::TensorOptions().device(device).dtype(torch::kInt16));
  const std::int64_t samples = std::int64_t{layout.shape.frames} * layout.format.hop;
  return pcm.narrow(1, 0, samples).to(torch::kFloat32) / kFullScale;
}

torch::Tensor to_mel_beside(const DeviceBatch& batch, RowRange rows, torch::Device device) {
  const BatchLayout& layout = batch.layout;
  if (!layout.format.mel_beside_pcm) {
    return {};
  }
  return part(batch,
              layout.mel,
              rows,
              static_cast<std::int64_t>(layout.row_mel_values()),
              torch::TensorOptions().device(device).dtype(torch::kFloat32))
      .view({rows.count, layout.shape.frames, layout.format.mel_bins})
      .transpose(1, 2);
}

torch::Tensor send_to_device(const torch::Tensor& values, torch::Device device) {
  if (device.is_cpu()) {
    return values;
  }
  const torch::Tensor pinned = torch::empty(values.sizes(), values.options().pinned_memory(true));
  return send(pinned.copy_(values), device);
}

torch::Tensor fetch_to_host(const torch::Tensor& values) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor copy = torch::empty(
      values.sizes(), values.options().device(torch::kCPU).pinned_memory(!values.is_cpu()));
  return copy.copy_(values, /*non_blocking=*/true);
}

torch::Tensor frame_weights(const ModelBatch& batch) {
  return batch.mel_lengths.to(torch::kFloat32);
}

ModelBatch make_longest_batch(const BatchShape& shape,
                              int mel_bins,
                              torch::Device device,
                              int speakers) {
  const auto on_device = torch::TensorOptions().device(device);
  const std::int64_t rows = shape.rows;
  const int reference = longest_reference(shape.frames);
  const auto whole = [&](std::int64_t value) {
    return torch::full({rows}, value, on_device.dtype(torch::kInt64));
  };
  ModelBatch batch;
  batch.tokens = torch::ones({rows, shape.tokens}, on_device.dtype(torch::kInt64));
  batch.token_lengths = whole(std::min(shape.tokens, shape.frames));
  batch.mel = torch::zeros({rows, shape.frames, mel_bins}, on_device);
  batch.mel_lengths = whole(shape.frames);
  batch.reference = torch::zeros({rows, reference, mel_bins}, on_device);
  batch.reference_lengths = whole(reference);
  batch.mel_weights = torch::ones({rows, shape.frames}, on_device);
  if (speakers > 0) {
    batch.speakers = whole(0);
  }
  return batch;
}

ModelBatch narrow_rows(const ModelBatch& batch, RowRange rows) {
  return {.tokens = rows_of(batch.tokens, rows),
          .token_lengths = rows_of(batch.token_lengths, rows),
          .mel = rows_of(batch.mel, rows),
          .mel_lengths = rows_of(batch.mel_lengths, rows),
          .reference = rows_of(batch.reference, rows),
          .reference_lengths = rows_of(batch.reference_lengths, rows),
          .speakers = rows_of(batch.speakers, rows),
          .mel_weights = rows_of(batch.mel_weights, rows)};
}

}  // namespace qanat
