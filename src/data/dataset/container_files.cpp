#include "dataset/container_files.h"

#include <utility>

#include <fmt/format.h>

#include "base/for_each_item.h"
#include "base/url.h"
#include "dataset/index_cache.h"
#include "dataset/problem.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "store/block_cache.h"
#include "store/cached_object.h"
#include "store/header_log.h"
#include "store/scan_access.h"
#include "store/store.h"

namespace qanat {
namespace {

constexpr int kAskedAtOnce = 16;

// Empty: there is no place for one.
std::filesystem::path cache_folder(const std::filesystem::path& root,
                                   const StoreSettings& settings) {
  if (settings.folder) {
    return *settings.folder;
  }
  const std::vector<std::filesystem::path> folders = index_cache_folders(root);
  return folders.empty() ? std::filesystem::path() : folders.front() / "store";
}

std::shared_ptr<BlockCache> make_cache(const std::filesystem::path& folder,
                                       const StoreSettings& settings) {
  if (folder.empty() || settings.cache.value == 0) {
    return nullptr;
  }
  return std::make_shared<BlockCache>(BlockCacheOptions{
      .folder = folder / "blocks", .budget = settings.cache, .begun = settings.begun});
}

}  // namespace

ContainerFiles::ContainerFiles(const std::filesystem::path& root,
                               const std::vector<std::string>& names,
                               const StoreSettings& settings) {
  for (const std::string& name : names) {
    paths_.push_back(root / name);
  }
  if (!is_url(root.string())) {
    return;
  }
  const std::filesystem::path folder = cache_folder(root, settings);
  log_folder_ = folder.empty() ? folder : folder / "headers";
  const std::shared_ptr<BlockCache> cache = make_cache(folder, settings);
  const auto store =
      std::make_shared<Store>(StoreOptions::of_environment(settings.timeout, settings.stop));
  remote_.resize(paths_.size());
  for_each_item(paths_.size(), {.threads = kAskedAtOnce}, [&](int, std::size_t number) {
    RemoteContainer& opened = remote_[number];
    opened.object = StoredObject::open(store, paths_[number].string());
    opened.access = opened.object;
    if (cache) {
      opened.access = std::make_shared<const CachedObject>(opened.object, cache);
      opened.is_kept = true;
    }
  });
}

ContainerFile ContainerFiles::open_remote(std::size_t number) const {
  const RemoteContainer& opened = remote_[number];
  std::shared_ptr<const RandomAccess> headers = std::make_shared<const ScanAccess>(
      opened.access, opened.is_kept ? ScanWindow::kept() : ScanWindow{});
  // What tells no versions apart is asked again.
  if (!log_folder_.empty() && !opened.object->version().tag.empty()) {
    const std::uint64_t version = opened.object->version_hash();
    headers = std::make_shared<const HeaderLog>(
        std::move(headers), log_folder_ / fmt::format("{:016x}.bin", version), version);
  }
  return {.path = paths_[number],
          .identity = opened.object->identity(),
          .headers = std::move(headers),
          .remote = opened.access};
}

ContainerFile ContainerFiles::open(std::size_t number) const {
  if (!remote_.empty()) {
    return open_remote(number);
  }
  const std::filesystem::path& path = paths_[number];
  Result<FileAccess> file = FileAccess::open(path);
  if (!file) {
    throw MessageError(
        msg::set_refused{.file = path.string(), .why = reason_of(file.failure(), path)});
  }
  const FileIdentity identity = file.value().identity();
  return {.path = path,
          .identity = identity,
          .headers = std::make_shared<const FileAccess>(std::move(file).value())};
}

std::unique_ptr<const ClipContainer> members_of(const ContainerFile& file) {
  if (file.remote) {
    return std::make_unique<const RangeContainer>(file.remote, file.identity);
  }
  return std::make_unique<const FileContainer>(file.path, file.identity);
}

OpenVersion version_of(const ContainerFile& file) {
  if (file.remote) {
    return
        [remote = file.remote]() -> Result<std::shared_ptr<const RandomAccess>> { return remote; };
  }
  return version_of_file(file.path, file.identity);
}

}  // namespace qanat
