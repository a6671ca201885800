#include "train/vocoder_validation.h"

#include <array>
#include <cstddef>

#include <torch/torch.h>

#include "train/batch_tensors.h"
#include "vocoder/spectra.h"
#include "vocoder/vocoder_losses.h"

namespace qanat {
namespace {

// Over frames: log-mel distance, STFT distance. In the order of ranks, so they are the same
// everywhere.
using DistanceSums = std::array<double, 2>;

DistanceSums add_up(const DistanceSums& own, ProcessGroup* group) {
  if (group == nullptr || group->rank().world == 1) {
    return own;
  }
  const std::vector<double> all = group->all_gather(own);
  DistanceSums sums{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    sums[i % sums.size()] += all[i];
  }
  return sums;
}

}  // namespace

VocoderValidator::VocoderValidator(const MelConfig& mel,
                                   const std::vector<std::vector<float>>& clips)
    : mel_(mel) {
  constexpr std::int64_t kShortest = 2048;  // samples: the widest transform mirrors less than that
  for (const std::vector<float>& clip : clips) {
    const auto samples = static_cast<std::int64_t>(clip.size()) / mel.hop * mel.hop;
    if (samples >= kShortest) {
      auto* values = const_cast<float*>(clip.data());  // from_blob() takes no const
      clips_.push_back(torch::from_blob(values, {1, samples}).clone());
    }
  }
}

ValidationResult VocoderValidator::run(TrainedVocoder& vocoder,
                                       DeviceStream& stream,
                                       ProcessGroup* group) const {
  const ProcessRank place = group != nullptr ? group->rank() : ProcessRank{};
  const auto world = static_cast<std::size_t>(place.world);
  DistanceSums sums{};
  stream.submit([&] {
    const torch::NoGradGuard no_grad;
    const torch::Device device = vocoder.generator.device();
    const LogMel log_mel(mel_, torch::kCPU);
    const StftLoss stft(torch::kCPU);
    PhaseRefiner refiner(vocoder.ema_network->shape());
    for (auto i = static_cast<std::size_t>(place.rank); i < clips_.size(); i += world) {
      const torch::Tensor& recorded = clips_[i];
      const torch::Tensor mel = log_mel.of(recorded);
      const std::vector<float> samples =
          refiner.refine(mel, vocoder.ema_network->generate(send_to_device(mel, device)));
      const torch::Tensor made = torch::tensor(samples).unsqueeze(0);
      const auto frames = static_cast<double>(mel.size(2));
      sums[0] += frames * mel_loss(log_mel.of(made), mel).item<double>();
      sums[1] += frames * stft.of(made, recorded).item<double>();
    }
  });
  stream.synchronise();
  sums = add_up(sums, group);
  ValidationResult result{.utterances = static_cast<std::int64_t>(clips_.size())};
  for (const torch::Tensor& clip : clips_) {
    result.frames += clip.size(1) / mel_.hop;
  }
  const auto frames = static_cast<double>(result.frames);
  result.losses.mel = sums[0] / frames;
  result.losses.stft = sums[1] / frames;
  result.losses.total = result.losses.mel + result.losses.stft;
  return result;
}

}  // namespace qanat
