// A model small enough for tests, and batches that need no data set.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "batch/random.h"
#include "device/host/host_device.h"
#include "torch_binding/torch_binding.h"
#include "train/speech_task.h"
#include "train/train_step.h"
#include "transfer/device_batch.h"

namespace qanat {

inline ModelShape small_shape() {
  return {.vocabulary = 20,
          .speakers = 0,
          .text_width = 16,
          .text_layers = 1,
          .text_heads = 1,
          .text_ffn = 32,
          .speaker_width = 16,
          .speaker_layers = 1,
          .speaker_heads = 1,
          .speaker_ffn = 32,
          .latents = 4,
          .decoder_width = 16,
          .decoder_layers = 1,
          .decoder_heads = 1,
          .decoder_ffn = 32,
          .patch = 4,
          .postnet_width = 0};
}

// Rows of a made-up data set: what a row holds depends on its item only. Items 0 and 1, 2 and 3,
// ... are of one speaker each.
class MadeUpBatch {
 public:
  MadeUpBatch(std::vector<std::uint32_t> items, BatchShape shape)
      : layout_(make_layout(shape, PayloadFormat{})), block_(layout_.bytes) {
    batch_ = {.id = {.epoch = 0, .index = 0},
              .layout = layout_,
              .bytes = block_,
              .mel_lengths = {},
              .token_lengths = {},
              .items = std::move(items),
              .speakers = {},
              .slot = nullptr,
              .way = nullptr};
    for (std::size_t row = 0; row < batch_.items.size(); ++row) {
      fill(row, batch_.items[row]);
    }
  }

  const DeviceBatch& get() const { return batch_; }
  double frames() const {
    return std::accumulate(batch_.mel_lengths.begin(), batch_.mel_lengths.end(), 0.0);
  }
  float* mel(std::size_t row) {
    return reinterpret_cast<float*>(block_.data() + layout_.payload) + row * layout_.row_values();
  }

 private:
  void fill(std::size_t row, std::uint32_t item) {
    Random random{item};
    const auto frames = static_cast<std::int32_t>(
        layout_.shape.frames -
        static_cast<int>(random.below(static_cast<std::uint32_t>(layout_.shape.frames / 3))));
    const std::int32_t tokens = std::min(layout_.shape.tokens, frames / 3);
    float* value = mel(row);
    for (std::size_t i = 0; i < layout_.row_values(); ++i) {
      const bool valid = i < static_cast<std::size_t>(frames * layout_.format.mel_bins);
      value[i] =
          valid ? -5.0F + 2.0F * std::sin(static_cast<float>(item) + 0.01F * static_cast<float>(i))
                : layout_.format.mel_padding;
    }
    auto* token = reinterpret_cast<std::int32_t*>(block_.data() + layout_.tokens) +
                  row * static_cast<std::size_t>(layout_.shape.tokens);
    for (std::int32_t i = 0; i < layout_.shape.tokens; ++i) {
      token[i] = i < tokens ? static_cast<std::int32_t>(1 + random.below(19)) : 0;
    }
    batch_.speakers.push_back(static_cast<std::int32_t>(item / 2));
    batch_.mel_lengths.push_back(frames);
    batch_.token_lengths.push_back(tokens);
  }

  BatchLayout layout_;
  std::vector<std::byte> block_;
  DeviceBatch batch_;
};

// A model on a device of its own.
class StepBench {
 public:
  explicit StepBench(TrainStepOptions options = {},
                     std::optional<Bytes> limit = std::nullopt,
                     ModelShape shape = small_shape())
      : device_({.id = {.kind = DeviceKind::virtual_gpu}, .threads = 1, .memory_limit = limit}) {
    bind_torch(device_);
    stream_ = device_.make_stream("train");
    stream_->submit(
        [this, &shape] { model_.emplace(make_trained_model(shape, {}, 1, torch::kCPU)); });
    stream_->synchronise();
    task_.emplace(*model_);
    step_.emplace(device_, *stream_, *task_, options);
  }
  ~StepBench() {
    try {
      stream_->synchronise();
    } catch (const std::exception&) {
      // A test that failed the stream on purpose has looked at why.
    }
  }
  StepBench(const StepBench&) = delete;
  StepBench& operator=(const StepBench&) = delete;

  TrainStep& step() { return *step_; }
  TrainedModel& model() { return *model_; }
  TrainTask& task() { return *task_; }
  HostDevice& device() { return device_; }
  DeviceStream& stream() { return *stream_; }

  void accumulate(const MadeUpBatch& batch, BatchPlace place = BatchPlace::before_others) {
    const Clock::time_point now = Clock::now();
    step_->accumulate(
        batch.get(), {.host_busy_since = host_busy_since_, .asked = now, .handed = now}, place);
    host_busy_since_ = now;
  }
  // `all_frames` are those of all processes, of runs that have several.
  void update(std::int64_t step, double all_frames = 0) {
    step_->update({.step = step, .learning_rate = 1e-3, .frames = all_frames});
    host_busy_since_ = Clock::now();
  }
  // Summed so far; waits.
  torch::Tensor gradient() {
    stream_->synchronise();
    return model_->gradient.clone();
  }

 private:
  HostDevice device_;
  std::unique_ptr<DeviceStream> stream_;
  std::optional<TrainedModel> model_;
  std::optional<SpeechTask> task_;
  std::optional<TrainStep> step_;
  Clock::time_point host_busy_since_ = Clock::now();
};

}  // namespace qanat
