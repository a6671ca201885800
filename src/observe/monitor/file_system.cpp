#include "monitor/file_system.h"

#include <algorithm>
#include <array>

#include "monitor/kernel_files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// Mount points hold blanks and the like as "\040".
std::string unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
    const bool escape = text.size() >= 4 && text[0] == '\\' && text[1] <= '3' &&
                        std::ranges::all_of(text.substr(1, 3), is_octal);
    if (escape) {
      plain += static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
    } else {
      plain += text[0];
    }
    text.remove_prefix(escape ? 4 : 1);
  }
  return plain;
}

bool lies_below(const fs::path& folder, const fs::path& mount) {
  const auto [end, ignored] =
      std::mismatch(mount.begin(), mount.end(), folder.begin(), folder.end());
  return end == mount.end() || (std::next(end) == mount.end() && end->empty());
}

}  // namespace

Reading<FileSystem> find_file_system(const fs::path& root, const fs::path& folder) {
  const Result<std::string> mounts = read_kernel_text(root / "proc/self/mountinfo");
  if (!mounts) {
    return Reading<FileSystem>::none(mounts.failure().what);
  }
  std::error_code error;
  fs::path place = fs::weakly_canonical(folder, error);
  if (error) {
    place = fs::absolute(folder, error).lexically_normal();
  }
  std::optional<FileSystem> found;
  for (const std::string_view line : lines(mounts.value())) {
    const std::vector<std::string_view> fields = words(line);
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 5 || fields.end() - dash < 2) {
      continue;
    }
    const fs::path mount = unescaped(fields[4]);
    // The last one of several at one place is the one that is seen.
    if (lies_below(place, mount) &&
        (!found || mount.native().size() >= found->mounted_at.native().size())) {
      found = FileSystem{.kind = std::string(dash[1]), .mounted_at = mount};
    }
  }
  return found ? Reading<FileSystem>(*found)
               : Reading<FileSystem>::none("no mount point lies above " + place.string());
}

FileSystemClass classify_file_system(std::string_view kind) {
  constexpr auto kNetwork = std::to_array<std::string_view>(
      {"nfs",       "nfs4",        "cifs",           "smb3",        "smbfs",      "9p",
       "ceph",      "lustre",      "glusterfs",      "afs",         "beegfs",     "gpfs",
       "orangefs",  "ocfs2",       "gfs2",           "virtiofs",    "fuse.sshfs", "fuse.gcsfuse",
       "fuse.s3fs", "fuse.goofys", "fuse.glusterfs", "fuse.rclone", "fuse.ceph",  "fuse.juicefs",
       "wekafs"});
  if (std::ranges::find(kNetwork, kind) != kNetwork.end()) {
    return FileSystemClass::network;
  }
  if (kind == "overlay" || kind == "aufs" || kind == "fuse.fuse-overlayfs") {
    return FileSystemClass::overlay;
  }
  return kind == "tmpfs" || kind == "ramfs" ? FileSystemClass::memory : FileSystemClass::local;
}

}  // namespace qanat
