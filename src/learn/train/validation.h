// Validates the EMA weights on utterances that are not trained on: teacher-forced, and
// free-running, which is what users hear.
//
// The reference is another utterance of the speaker. For a speaker with only one utterance, its
// first half is the reference and the second half is scored; free-running then has no reference.
// The model is never scored on what it was shown.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include <torch/types.h>

#include "batch/batch.h"
#include "config/run_config.h"
#include "device/device.h"
#include "metrics/validation_result.h"
#include "model/model_batch.h"
#include "replicas/process_group.h"
#include "train/trained_model.h"

namespace qanat {

// How far two spectrograms are apart when their timing may differ: dynamic time warping.
//
// Both f32 [frames, bins] in host memory, at least one frame each. The mean, along the cheapest
// path that goes forward in both by at most one frame a step, of the mean absolute difference
// over the bins.
double warped_distance(const torch::Tensor& a, const torch::Tensor& b);

// Smaller is better. Speech of another length than the recording is that much further from it.
double score_of(const ValidationResult& result, BestBy by);

class Validator {
 public:
  // Keeps the batches, whose payload is mel. At most `max_free_running` utterances are spoken.
  Validator(std::vector<Batch> batches, int max_free_running);

  bool is_empty() const { return batches_.empty(); }
  // As work of `stream`, which the model belongs to; waits for it, at most twice in all.
  // Processes of a `group` divide the batches; the result is that of all. Collective then.
  ValidationResult run(TrainedModel& model,
                       DeviceStream& stream,
                       ProcessGroup* group = nullptr) const;

 private:
  // Who is shown to a row: another row of any batch, or itself.
  struct Shown {
    std::size_t batch = 0;
    int row = 0;
  };

  std::vector<std::vector<Shown>> choose_references() const;
  ModelBatch to_tensors(std::size_t batch, int speakers) const;
  bool is_own(std::size_t batch, int row) const;
  void show(std::size_t batch, ModelBatch& tensors) const;
  ModelBatch without_own(std::size_t batch, const ModelBatch& tensors) const;
  struct Spoken;
  // Batches that this process validates.
  struct Part {
    std::size_t batch = 0;
    ModelBatch tensors;  // in host memory
  };
  std::vector<Part> parts_of(const ProcessRank& place, int speakers) const;
  std::deque<Spoken> to_speak(const std::vector<Part>& parts) const;
  static void predict(TrainedModel& model, Spoken& spoken);
  static void speak(TrainedModel& model, Spoken& spoken);
  void compare(const Spoken& spoken, FreeRunning& sums) const;
  static std::int64_t num_rows(const std::vector<Part>& parts);
  // `losses`: sums, then the total of every row of this process.
  ValidationResult to_result(const torch::Tensor& losses,
                             const std::deque<Spoken>& spoken,
                             ProcessGroup* group) const;

  std::vector<Batch> batches_;
  int max_free_running_;
  std::vector<std::vector<Shown>> shown_;  // [batch][row]
};

}  // namespace qanat
