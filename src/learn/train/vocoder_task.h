// The vocoder as a task of the trainer: the generator learns to make the samples of a segment from
// its log-mel, or from that which a speech model has predicted for it, where rows have any; from a
// configured step on, discriminators learn to tell the two apart, with an optimiser of their own,
// and the generator learns to deceive them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "train/train_task.h"
#include "train/trained_vocoder.h"
#include "train/vocoder_validation.h"
#include "vocoder/spectra.h"
#include "vocoder/vocoder_losses.h"

namespace qanat {

// Frame-weighted sums over rows: total, mel, stft, magnitude, adversarial, feature, discriminator.
inline constexpr std::int64_t kVocoderSums = 7;

// generate, losses, backward.
inline constexpr std::array<TaskPhase, 3> kVocoderPhases = {TaskPhase{.ends = StepPhase::forward},
                                                            TaskPhase{.ends = StepPhase::loss},
                                                            TaskPhase{.ends = StepPhase::backward}};

// What the names of their tensors begin with in a checkpoint.
inline constexpr const char* kDiscriminatorPrefix = "discriminator.";

struct VocoderWeights {
  double mel = 15;
  double stft = 5;
  double magnitude = 5;
  double adversarial = 1;
  double feature = 2;
};

struct VocoderTaskOptions {
  std::int64_t discriminator_start = 0;  // steps
  VocoderWeights weights{};
};

// What losses are computed with. Tables on one device.
struct VocoderMeasures {
  explicit VocoderMeasures(const MelConfig& mel, torch::Device device);

  LogMel log_mel;
  StftLoss stft;
  Stft own;  // at the resolution of the generator
};

class VocoderTask : public TrainTask {
 public:
  // `vocoder` outlives the task. To be called on the stream it belongs to.
  VocoderTask(TrainedVocoder& vocoder, const VocoderTaskOptions& options);

  // Not owned, outlives the task. Without one nothing is validated.
  void validate_with(const VocoderValidator* validator) { validator_ = validator; }

  const std::vector<TaskPart>& parts() const override { return parts_; }
  bool is_trained(std::size_t part, std::int64_t step) const override;
  std::span<const TaskPhase> phases() const override { return kVocoderPhases; }
  std::int64_t num_sums() const override { return kVocoderSums; }
  StepLosses to_losses(const std::function<double(std::size_t)>& mean) const override;
  void begin_update(std::int64_t step) override;
  std::shared_ptr<const TaskRows> rows_of(const DeviceBatch& batch) const override;
  std::shared_ptr<const TaskRows> longest_rows(const BatchShape& shape) const override;
  bool has_validation() const override;
  ValidationResult validate(DeviceStream& stream, ProcessGroup* group) override;

 private:
  TrainedVocoder& vocoder_;
  const VocoderTaskOptions options_;
  const VocoderMeasures measures_;
  const VocoderValidator* validator_ = nullptr;
  const std::vector<TaskPart> parts_;
  bool is_judged_ = false;  // the batches that come next
};

}  // namespace qanat
