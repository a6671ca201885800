// A batch in a slot of the ring, seen as the tensors the model reads.
#pragma once

#include <vector>

#include <torch/types.h>

#include "model/model_batch.h"
#include "train/reference_crops.h"
#include "transfer/device_batch.h"

namespace qanat {

struct RowRange {
  int first = 0;
  int count = 0;

  bool operator==(const RowRange&) const = default;
};

// Call on the stream that reads the batch, once it has arrived; `mel` is a view of the slot, so
// the result must not outlive the lease. `crops` has one entry per row of the whole batch. A frame
// that is shown to its own row has no weight. `speakers` is the size of the model's table; a
// speaker outside it is left unknown. A row gives the same tensors for every range that contains
// it.
ModelBatch to_model_batch(const DeviceBatch& batch,
                          RowRange rows,
                          const std::vector<ReferenceCrop>& crops,
                          torch::Device device,
                          int speakers);

// The samples of some rows of a batch whose payload is PCM: f32 [rows, frames * hop], full scale 1.
// A copy. Call on the stream that reads the batch.
torch::Tensor to_samples(const DeviceBatch& batch, RowRange rows, torch::Device device);

// The log-mel that lies beside them: f32 [rows, mel_bins, frames], a view of the slot; undefined
// where there is none.
torch::Tensor to_mel_beside(const DeviceBatch& batch, RowRange rows, torch::Device device);

// From host memory to `device` and back, in the order of the current stream; the host waits for
// neither. What came back is whole once the stream has come so far.
torch::Tensor send_to_device(const torch::Tensor& values, torch::Device device);
torch::Tensor fetch_to_host(const torch::Tensor& values);

// Frames of each row: f32 [rows]; what its losses are weighted with.
torch::Tensor frame_weights(const ModelBatch& batch);

// A batch of silence in which every row is as long as the shape allows: for trying out whether it
// fits. Tokens are at most as many as frames.
ModelBatch make_longest_batch(const BatchShape& shape,
                              int mel_bins,
                              torch::Device device,
                              int speakers);

// The rows of a batch as a batch of their own; shares memory.
ModelBatch narrow_rows(const ModelBatch& batch, RowRange rows);

}  // namespace qanat
