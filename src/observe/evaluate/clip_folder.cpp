#include "evaluate/clip_folder.h"

#include <system_error>

#include "audio/audio_formats.h"
#include "locale/message_error.h"
#include "locale/messages/evaluate.h"

namespace qanat {

std::map<std::string, std::vector<std::filesystem::path>> clips_in(
    const std::filesystem::path& folder) {
  std::map<std::string, std::vector<std::filesystem::path>> clips;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (has_audio_ending(entry->path().native()) && !entry->is_directory()) {
      clips[entry->path().stem().string()].push_back(entry->path());
    }
  }
  if (error) {
    throw MessageError(
        msg::evaluate_folder{.folder = folder.string(), .why = system_reason(error.value())});
  }
  if (clips.empty()) {
    throw MessageError(msg::evaluate_empty_folder{.folder = folder.string()});
  }
  return clips;
}

}  // namespace qanat
