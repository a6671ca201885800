#include "evaluate/clip_folder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "locale/message_error.h"
#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

constexpr std::array<std::string_view, 5> kAudioExtensions = {
    ".wav", ".flac", ".ogg", ".opus", ".mp3"};

bool is_audio(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kAudioExtensions, extension) != kAudioExtensions.end();
}

}  // namespace

std::map<std::string, std::vector<std::filesystem::path>> clips_in(
    const std::filesystem::path& folder) {
  std::map<std::string, std::vector<std::filesystem::path>> clips;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (is_audio(entry->path()) && !entry->is_directory()) {
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
