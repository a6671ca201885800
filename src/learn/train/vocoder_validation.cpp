#include "train/vocoder_validation.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <torch/torch.h>

#include "train/batch_tensors.h"
#include "train/clip_losses.h"
#include "vocoder/spectra.h"
#include "vocoder/vocoder_losses.h"

namespace qanat {
namespace {

// Over frames: log-mel distance, STFT distance; frames, clips; both distances by clip. In the order
// of ranks, so they are the same everywhere, also where one of them could not read a clip.
constexpr std::size_t kDistances = 4;
using DistanceSums = std::array<double, kDistances + 2 * ClipLosses::kGroups>;

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

VocoderValidator::VocoderValidator(const MelConfig& mel, const std::vector<ValidatedClip>& clips)
    : mel_(mel) {
  constexpr std::int64_t kShortest = 2048;  // samples: the widest transform mirrors less than that
  const auto copy = [](const std::vector<float>& values, torch::IntArrayRef shape) {
    auto* begin = const_cast<float*>(values.data());  // from_blob() takes no const
    return torch::from_blob(begin, shape).clone();
  };
  for (const ValidatedClip& clip : clips) {
    const auto frames = static_cast<std::int64_t>(clip.samples.size()) / mel.hop;
    if (frames * mel.hop < kShortest) {
      continue;
    }
    clips_.push_back({.samples = copy(clip.samples, {1, frames * mel.hop}), .mel = {}});
    if (!clip.mel.empty()) {
      clips_.back().mel = copy(clip.mel, {1, frames, mel.mel_bins}).transpose(1, 2).contiguous();
    }
  }
}

ValidationResult VocoderValidator::run(TrainedVocoder& vocoder,
                                       DeviceStream& stream,
                                       ProcessGroup* group) const {
  const ProcessRank place = group != nullptr ? group->rank() : ProcessRank{};
  const auto world = static_cast<std::size_t>(place.world);
  DistanceSums sums{};
  ClipLosses by_clip;
  stream.submit([&] {
    const torch::NoGradGuard no_grad;
    const torch::Device device = vocoder.generator.device();
    const LogMel log_mel(mel_, torch::kCPU);
    const StftLoss stft(torch::kCPU);
    PhaseRefiner refiner(vocoder.ema_network->shape());
    for (auto i = static_cast<std::size_t>(place.rank); i < clips_.size(); i += world) {
      const torch::Tensor& recorded = clips_[i].samples;
      const torch::Tensor recorded_mel = log_mel.of(recorded);
      const torch::Tensor& mel = clips_[i].mel.defined() ? clips_[i].mel : recorded_mel;
      const std::vector<float> samples =
          refiner.refine(mel, vocoder.ema_network->generate(send_to_device(mel, device)));
      const torch::Tensor made = torch::tensor(samples).unsqueeze(0);
      const auto frames = static_cast<double>(mel.size(2));
      const double mel_distance = mel_loss(log_mel.of(made), recorded_mel).item<double>();
      const double stft_distance = stft.of(made, recorded).item<double>();
      sums[0] += frames * mel_distance;
      sums[1] += frames * stft_distance;
      by_clip.add(i, frames * (mel_distance + stft_distance), frames);
      sums[2] += frames;
      ++sums[3];
    }
  });
  stream.synchronise();
  std::ranges::copy(by_clip.values(), sums.begin() + kDistances);
  sums = add_up(sums, group);
  std::copy(sums.begin() + kDistances, sums.end(), by_clip.values().begin());
  ValidationResult result{.utterances = static_cast<std::int64_t>(sums[3])};
  result.frames = static_cast<std::int64_t>(sums[2]);
  result.losses.mel = sums[0] / sums[2];
  result.losses.stft = sums[1] / sums[2];
  result.losses.total = result.losses.mel + result.losses.stft;
  result.clip_losses = by_clip.by_group();
  return result;
}

}  // namespace qanat
