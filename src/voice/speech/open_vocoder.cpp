#include "speech/open_vocoder.h"

#include <cstdint>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "features/griffin_lim.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"
#include "speech/hifigan.h"
#include "speech/vocos.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

class GriffinLimVocoder : public Vocoder {
 public:
  explicit GriffinLimVocoder(const MelConfig& mel) : mel_(mel), algorithm_(mel) {}

  std::string name() const override { return kGriffinLim; }
  const MelConfig& mel() const override { return mel_; }
  // Phases of a frame follow from those of all others.
  std::optional<int> context() const override { return std::nullopt; }
  std::vector<float> synthesise(std::span<const float> log_mel) override {
    return algorithm_.synthesise(log_mel);
  }

 private:
  const MelConfig mel_;
  GriffinLim algorithm_;
};

bool has_vocoder(const fs::path& folder) {
  return fs::exists(folder / "config.json") || has_checkpoints(folder);
}

struct FoundBeside {
  std::optional<fs::path> folder{};  // with a vocoder
  std::optional<fs::path> empty{};   // one that has none yet
};

FoundBeside find_beside(const fs::path& checkpoint) {
  std::error_code error;
  const fs::path folder = fs::absolute(checkpoint).lexically_normal();
  FoundBeside found;
  for (const fs::path& place : {folder / "vocoder", folder.parent_path() / "vocoder"}) {
    if (!found.folder && fs::is_directory(place, error)) {
      (has_vocoder(place) ? found.folder : found.empty) = place;
    }
  }
  return found;
}

Message described(const MelConfig& mel) {
  return msg::vocoder_mel{.rate = mel.sample_rate.value,
                          .bins = mel.mel_bins,
                          .low = static_cast<std::int64_t>(mel.fmin),
                          .high = static_cast<std::int64_t>(mel.fmax),
                          .hop = mel.hop};
}

OpenedVocoder open_folder(const fs::path& folder) {
  if (fs::exists(folder / "config.json")) {
    return {.vocoder = open_hifigan(folder), .folder = folder};
  }
  if (has_checkpoints(folder)) {
    OpenedVocos opened = open_vocos(folder);
    return {.vocoder = std::move(opened.vocoder), .folder = opened.folder};
  }
  throw MessageError(msg::vocoder_none{.path = folder.string()});
}

}  // namespace

OpenedVocoder open_vocoder(const std::string& given,
                           const fs::path& checkpoint,
                           const MelConfig& mel) {
  std::optional<fs::path> folder;
  std::optional<Message> note;
  if (given.empty() && !checkpoint.empty()) {
    FoundBeside found = find_beside(checkpoint);
    folder = std::move(found.folder);
    if (!folder && found.empty) {
      note = msg::vocoder_not_yet{.folder = found.empty->string()};
    }
  } else if (!given.empty() && given != kGriffinLim) {
    folder = given;
  }
  if (!folder) {
    return {.vocoder = std::make_unique<GriffinLimVocoder>(mel), .note = std::move(note)};
  }
  OpenedVocoder opened = open_folder(*folder);
  if (opened.vocoder->mel() != mel) {
    throw MessageError(msg::vocoder_other_mel{.path = folder->string(),
                                              .theirs = described(opened.vocoder->mel()),
                                              .ours = described(mel)});
  }
  return opened;
}

}  // namespace qanat
