// The containers of a data set: files below its root, or objects at a URL.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "archive/random_access.h"
#include "archive/stored_clip.h"
#include "store/store_settings.h"

namespace qanat {

// One version of a container.
struct ContainerFile {
  std::filesystem::path path;  // or URL; for messages
  FileIdentity identity;
  std::shared_ptr<const RandomAccess> headers;  // for going through it; may read ahead
  // Where clips are read; null: the file is opened for each.
  std::shared_ptr<const RandomAccess> remote{};
};

class StoredObject;

// An object, and what reads it.
struct RemoteContainer {
  std::shared_ptr<const StoredObject> object;
  std::shared_ptr<const RandomAccess> access;  // through the cache, where there is one
  bool is_kept = false;                        // there is one
};

// Objects are asked for their versions all at once: a thousand answers of a distant server, one
// after the other, are a minute. Files are opened one at a time.
class ContainerFiles {
 public:
  // Throws Error where an object is not there.
  ContainerFiles(const std::filesystem::path& root,
                 const std::vector<std::string>& names,
                 const StoreSettings& settings);

  // By position in the names. Throws Error naming what cannot be opened.
  ContainerFile open(std::size_t number) const;

 private:
  ContainerFile open_remote(std::size_t number) const;

  std::vector<std::filesystem::path> paths_;
  std::filesystem::path log_folder_;     // of reads of headers; empty: they are not kept
  std::vector<RemoteContainer> remote_;  // empty: they are files
};

// Its members, by ClipPlace::offset.
std::unique_ptr<const ClipContainer> members_of(const ContainerFile& file);
OpenVersion version_of(const ContainerFile& file);

}  // namespace qanat
