#include "speech/copy_renderer.h"

#include <utility>

#include <fmt/format.h>

#include "audio/wav_writer.h"
#include "base/files.h"
#include "features/mel_image.h"
#include "speech/vocos.h"

namespace qanat {
namespace {

std::vector<float> mel_of(std::span<const float> samples,
                          const MelConfig& mel,
                          MelExtractor& extractor) {
  const auto frames = static_cast<std::size_t>(
      mel_frames(SampleCount{static_cast<std::int64_t>(samples.size())}, mel).value);
  std::vector<float> values(frames * static_cast<std::size_t>(mel.mel_bins));
  if (frames > 0) {
    extractor.extract(samples, values);
  }
  return values;
}

}  // namespace

CopyRenderer::CopyRenderer(const VocoderState& state,
                           std::vector<RenderedClip> clips,
                           std::filesystem::path folder)
    : state_(state), clips_(std::move(clips)), folder_(std::move(folder)), extractor_(state.mel) {}

EvaluationRender CopyRenderer::render(std::int64_t step, const TensorMap& weights) {
  Vocos vocoder(state_, weights);
  EvaluationRender render{.folder = folder_ / fmt::format("step-{:09}", step),
                          .vocoder = vocoder.name(),
                          .sentences = {},
                          .mel = state_.mel};
  make_folders(render.folder);
  const auto rate = static_cast<double>(state_.mel.sample_rate.value);
  for (const RenderedClip& clip : clips_) {
    const std::vector<float> samples = vocoder.synthesise(
        clip.mel.empty() ? mel_of(clip.samples, state_.mel, extractor_) : clip.mel);
    render.sentences.push_back(
        {.text = clip.id,
         .length = Seconds(static_cast<double>(samples.size()) / rate),
         .recording = write_recording(folder_, clip.samples, state_.mel.sample_rate)});
    const std::filesystem::path stem =
        render.folder / fmt::format("sentence-{}", render.sentences.size());
    write_wav(std::filesystem::path(stem).concat(".wav"), samples, state_.mel.sample_rate);
    write_mel_image(std::filesystem::path(stem).concat(".png"),
                    mel_of(samples, state_.mel, extractor_),
                    state_.mel.mel_bins);
  }
  return render;
}

}  // namespace qanat
