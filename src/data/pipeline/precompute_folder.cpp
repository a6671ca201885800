#include "pipeline/precompute_folder.h"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "base/content_hash.h"
#include "base/url.h"
#include "dataset/index_cache.h"
#include "features/feature_store_folder.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

std::filesystem::path canonical_or_given(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::canonical(path, error);
  return error ? path : canonical;
}

// The folder itself, or the closest one above it that exists, can be written.
bool is_writable(std::filesystem::path folder) {
  std::error_code error;
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::vector<std::filesystem::path> feature_folders(const std::filesystem::path& data_root) {
  const std::filesystem::path beside = data_root / ".qanat";
  std::vector<std::filesystem::path> folders;
  if (!is_url(data_root.string())) {
    folders.push_back(beside / "features");
  }
  const std::uint64_t hash = ContentHasher().add(canonical_or_given(data_root).string()).value();
  for (const std::filesystem::path& cache : index_cache_folders(data_root)) {
    if (cache != beside) {
      folders.push_back(cache / fmt::format("features-{:016x}", hash));
    }
  }
  return folders;
}

std::optional<std::filesystem::path> find_feature_folder(const std::filesystem::path& data_root) {
  for (std::filesystem::path& folder : feature_folders(data_root)) {
    if (!list_shards(folder).empty()) {
      return std::move(folder);
    }
  }
  return std::nullopt;
}

std::filesystem::path writable_feature_folder(const std::filesystem::path& data_root) {
  std::vector<std::filesystem::path> folders = feature_folders(data_root);
  std::erase_if(folders, [](const auto& folder) { return !is_writable(folder); });
  if (folders.empty()) {
    throw MessageError(msg::features_no_place{.folder = data_root.string()});
  }
  const auto used = std::ranges::find_if(
      folders, [](const auto& folder) { return !list_shards(folder).empty(); });
  return used != folders.end() ? *used : folders.front();
}

}  // namespace qanat
