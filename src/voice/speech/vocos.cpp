#include "speech/vocos.h"

#include <span>
#include <utility>

#include "checkpoint/find_checkpoint.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/messages/data_set_errors.h"
#include "speech/borrowed_weights.h"
#include "train/trained_vocoder.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

LoadedCheckpoint load(const fs::path& folder) {
  Result<std::optional<LoadedCheckpoint>> found =
      find_checkpoint({.path = folder,
                       .parts = {.weights = false, .ema = true, .optimizer = false},
                       .order = CheckpointOrder::best_or_newest});
  if (!found) {
    throw MessageError(msg::checkpoint_not_whole{.reason = reason_of(found.failure())});
  }
  if (!found.value()) {
    throw MessageError(msg::checkpoint_none{.path = folder.string()});
  }
  return *std::move(found).value();
}

}  // namespace

Vocos::Vocos(const VocoderState& state, const TensorMap& weights)
    : generator_(to_vocoder_shape(state)), refiner_(generator_->shape()) {
  borrow_weights(*generator_, weights, "weights of");
  // How a sum is rounded depends on how many frames are computed at once, and refining the phases
  // lets that grow: in double precision a chunk begins with the same floats as the whole.
  generator_->to(torch::kFloat64);
  generator_->eval();
}

std::optional<int> Vocos::context() const {
  return static_cast<int>(context_frames(generator_->shape()));
}

std::vector<float> Vocos::synthesise(std::span<const float> log_mel) {
  const torch::InferenceMode no_gradients;
  const std::int64_t bins = mel().mel_bins;
  const auto frames = static_cast<std::int64_t>(log_mel.size()) / bins;
  if (frames == 0) {
    return {};
  }
  auto* values = const_cast<float*>(log_mel.data());  // from_blob() takes no const
  const torch::Tensor frame_major = torch::from_blob(values, {1, frames, bins});
  const torch::Tensor asked = frame_major.transpose(1, 2).contiguous();
  const VocoderGeneratorImpl::Sound sound = generator_->generate(asked.to(torch::kFloat64));
  return refiner_.refine(asked,
                         {.samples = sound.samples.to(torch::kFloat32),
                          .magnitude = sound.magnitude.to(torch::kFloat32)});
}

bool has_checkpoints(const fs::path& folder) {
  return fs::exists(folder / kSealName) ||
         (fs::is_directory(folder) && !CheckpointFolder(folder, 1).steps().empty());
}

VocosWeights load_vocos(const fs::path& folder) {
  LoadedCheckpoint loaded = load(folder);
  Result<VocoderState> state = to_vocoder_state(loaded.checkpoint.state);
  if (!state) {
    throw MessageError(
        msg::set_refused{.file = loaded.folder.string(), .why = reason_of(state.failure())});
  }
  return {.state = std::move(state).value(),
          .weights = std::move(loaded.checkpoint.ema),
          .folder = loaded.folder};
}

OpenedVocos open_vocos(const fs::path& folder) {
  const VocosWeights loaded = load_vocos(folder);
  return {.vocoder = std::make_unique<Vocos>(loaded.state, loaded.weights),
          .folder = loaded.folder};
}

}  // namespace qanat
