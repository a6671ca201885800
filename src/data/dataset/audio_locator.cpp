#include "dataset/audio_locator.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "audio/audio_formats.h"
#include "base/content_hash.h"
#include "base/retry.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::string_view kAudioFolder = "wavs/";
constexpr std::string_view kPiperFolder = "wav/";

// In lower case, then in upper case.
const std::vector<std::string>& extensions() {
  static const std::vector<std::string> kExtensions = [] {
    std::vector<std::string> all(audio_endings().begin(), audio_endings().end());
    for (const std::string_view ending : audio_endings()) {
      std::string& upper = all.emplace_back(ending);
      std::ranges::transform(
          upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }
    return all;
  }();
  return kExtensions;
}

// A data set that is larger is not searched to its end for files that are missing.
constexpr std::size_t kMaxLookedThrough = 2'000'000;

// Whether the path has parts that make it other than it looks: "", "." or "..".
bool is_plain(std::string_view path) {
  while (true) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    if (end == std::string_view::npos) {
      return true;
    }
    path.remove_prefix(end + 1);
  }
}

// `a/./b` and `a//b` become `a/b`. Failure when the path leaves the folder it starts in.
Result<std::string> inside_root(std::string_view name) {
  if (name.starts_with('/') || is_plain(name)) {
    return std::string(name);
  }
  const std::string path = std::filesystem::path(name).lexically_normal().string();
  if (!is_plain(path)) {
    return to_failure(msg::seen_id_outside{.id_text = name});
  }
  return path;
}

}  // namespace

std::string_view AudioLocator::without_extension(std::string_view name) {
  for (const std::string_view extension : extensions()) {
    if (name.size() > extension.size() && name.ends_with(extension)) {
      return name.substr(0, name.size() - extension.size());
    }
  }
  return name;
}

Result<AudioLocation> AudioLocator::locate(std::string_view name) {
  const Result<std::string> path = inside_root(name);
  if (!path) {
    return path.failure();
  }
  const std::string_view stem = without_extension(path.value());
  AudioLocation location{.id = std::string(stem), .path = find(path.value(), stem)};
  if (stem.starts_with(kAudioFolder) && stem.size() > kAudioFolder.size()) {
    location.id.erase(0, kAudioFolder.size());
  }
  return location;
}

Message AudioLocator::why_missing(std::string_view name, std::string_view text) {
  const std::string stem(without_extension(name));
  if (const std::optional<std::string> folder = forbidden_folder(name)) {
    return msg::seen_audio_forbidden{.name = name,
                                     .folder = folder->empty() ? root_.string() : *folder,
                                     .reason = system_reason(listing(*folder).error)};
  }
  if (const std::optional<std::string> place = elsewhere(stem)) {
    return msg::seen_audio_elsewhere{.name = name, .place = *place};
  }
  if (const std::optional<std::string> foreign = foreign_format(name)) {
    const std::string wav = std::filesystem::path(*foreign).replace_extension(".wav").string();
    return msg::convert_audio{
        .name = name,
        .file = *foreign,
        .command =
            fmt::format("ffmpeg -i {} {}", (root_ / *foreign).string(), (root_ / wav).string())};
  }
  const Result<AudioLocation> swapped = locate(text);
  if (swapped && swapped.value().path) {
    return msg::seen_columns_swapped{.name = name, .place = *swapped.value().path};
  }
  if (name.starts_with('/')) {
    return msg::seen_no_audio_at{.name = name};
  }
  return msg::seen_no_audio{.name = name, .stem = stem};
}

std::optional<std::string> AudioLocator::forbidden_folder(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  const std::string own(name.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  std::vector<std::string> places{own};
  if (!name.starts_with('/')) {
    places.push_back(std::string(kAudioFolder) + own);
    places.emplace_back(kAudioFolder);
  }
  const auto found = std::ranges::find_if(
      places, [this](const std::string& folder) { return !listing(folder).readable; });
  return found == places.end() ? std::nullopt : std::optional(*found);
}

std::optional<std::string> AudioLocator::elsewhere(std::string_view stem) {
  if (!everywhere_) {
    everywhere_.emplace();
    using Files = std::filesystem::recursive_directory_iterator;
    constexpr auto kSkip = std::filesystem::directory_options::skip_permission_denied;
    std::error_code error;
    std::size_t seen = 0;
    for (Files file(root_, kSkip, error); !error && file != Files() && seen < kMaxLookedThrough;
         file.increment(error), ++seen) {
      const std::string name = file->path().filename().string();
      const std::string_view base = without_extension(name);
      if (base.size() == name.size()) {
        continue;  // not audio
      }
      std::string path = file->path().lexically_relative(root_).string();
      const auto [known, is_new] = everywhere_->try_emplace(std::string(base), path);
      if (!is_new && path < known->second) {
        known->second = std::move(path);  // whatever the order of the folder
      }
    }
  }
  const std::size_t slash = stem.rfind('/');
  const auto found = everywhere_->find(
      std::string(slash == std::string_view::npos ? stem : stem.substr(slash + 1)));
  return found == everywhere_->end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> AudioLocator::find(std::string_view name, std::string_view stem) {
  const bool absolute = name.starts_with('/');
  std::string candidate;
  // A name that says its extension is meant as it stands, if that file is there.
  if (name.size() != stem.size()) {
    for (const std::string_view folder : {std::string_view(), kAudioFolder, kPiperFolder}) {
      candidate.assign(absolute ? std::string_view() : folder).append(name);
      if (exists(candidate)) {
        return candidate;
      }
    }
  }
  for (const std::string_view folder : {kAudioFolder, std::string_view(), kPiperFolder}) {
    for (const std::string_view extension : extensions()) {
      candidate.assign(absolute ? std::string_view() : folder).append(stem).append(extension);
      if (exists(candidate)) {
        return candidate;
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> AudioLocator::foreign_format(std::string_view name) {
  constexpr std::array<std::string_view, 9> kForeign = {
      ".m4a", ".aac", ".mp4", ".wma", ".webm", ".amr", ".sph", ".aiff", ".caf"};
  std::string stem(without_extension(name));
  for (const std::string_view extension : kForeign) {
    if (stem.ends_with(extension)) {
      stem.resize(stem.size() - extension.size());
      break;
    }
  }
  for (const std::string_view folder : {std::string_view(), kAudioFolder, kPiperFolder}) {
    for (const std::string_view extension : kForeign) {
      std::string candidate =
          fmt::format("{}{}{}", name.starts_with('/') ? "" : folder, stem, extension);
      if (exists(candidate)) {
        return candidate;
      }
    }
  }
  return std::nullopt;
}

bool AudioLocator::exists(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name_at = slash == std::string::npos ? 0 : slash + 1;
  const Listing& names = listing(path.substr(0, name_at));
  if (!names.readable) {
    std::error_code ignored;
    return std::filesystem::exists(root_ / path, ignored);
  }
  const std::string_view name = std::string_view(path).substr(name_at);
  return std::ranges::binary_search(names.names, content_hash(name));
}

const AudioLocator::Listing& AudioLocator::listing(const std::string& folder) {
  const auto [entry, added] = listings_.try_emplace(folder);
  Listing& listing = entry->second;
  if (!added) {
    return listing;
  }
  std::error_code error;
  retry_call([&] {
    listing.names.clear();
    std::filesystem::directory_iterator file(root_ / folder, error);
    for (; !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
      listing.names.push_back(content_hash(file->path().filename().native()));
    }
    errno = error.value();
    return error ? -1 : 0;
  });
  listing.error = error.value();
  // A folder that is not there holds nothing; one that may not be listed may still be read.
  listing.readable = !error || error == std::errc::no_such_file_or_directory ||
                     error == std::errc::not_a_directory;
  std::ranges::sort(listing.names);
  return listing;
}

}  // namespace qanat
