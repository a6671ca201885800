// From what a user names to the vocoder in it. Without libtorch: for commands.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/message.h"
#include "features/mel_config.h"
#include "speech/vocoder.h"

namespace qanat {

// What a user writes for Griffin-Lim where a trained vocoder would be found.
inline constexpr const char* kGriffinLim = "griffin-lim";

struct OpenedVocoder {
  std::unique_ptr<Vocoder> vocoder;
  std::optional<std::filesystem::path> folder{};  // of the checkpoint, of ours; absent: Griffin-Lim
  std::optional<Message> note{};                  // why it is not the one that was looked for
};

// `given`: a folder of checkpoints or of HiFi-GAN, the word above, or empty: the folder `vocoder`
// beside `checkpoint` or beside the folder it is in, and where there is none, or none that has a
// vocoder yet, Griffin-Lim. Throws Error when the folder that was given has no vocoder, or one of
// another log-mel.
OpenedVocoder open_vocoder(const std::string& given,
                           const std::filesystem::path& checkpoint,
                           const MelConfig& mel);

}  // namespace qanat
