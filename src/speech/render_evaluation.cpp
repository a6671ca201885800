#include "speech/render_evaluation.h"

#include <system_error>

#include "audio/wav_writer.h"
#include "base/error.h"
#include "features/mel_image.h"

namespace qanat {

void render_evaluation(const std::filesystem::path& stem,
                       std::span<const float> mel,
                       const MelConfig& config,
                       GriffinLim& vocoder) {
  std::error_code error;
  std::filesystem::create_directories(stem.parent_path(), error);
  if (error) {
    throw Error("{}: cannot make the folder: {}", stem.parent_path().string(), error.message());
  }
  std::filesystem::path sound = stem;
  sound += ".wav";
  write_wav(sound, vocoder.synthesise(mel), config.sample_rate);
  std::filesystem::path picture = stem;
  picture += ".png";
  write_mel_image(picture, mel, config.mel_bins);
}

}  // namespace qanat
