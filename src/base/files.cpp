#include "base/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk_full.h"
#include "base/error.h"

namespace qanat {
namespace {

std::string reason() {
  return std::strerror(errno);
}

// A rename is durable only once the folder that holds the name is.
void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) {
    ::fsync(fd.get());
  }
}

Failure cannot(const char* verb, const std::filesystem::path& path) {
  return Failure{fmt::format("{}: cannot {}: {}", path.string(), verb, reason())};
}

// What errno says.
[[noreturn]] void fail(const std::filesystem::path& path, const char* what, const char* then) {
  const int error = errno;
  const std::string message =
      fmt::format("{}: {}: {}{}", path.string(), what, std::strerror(error), then);
  if (says_disk_full(error)) {
    throw DiskFull(message);
  }
  throw Error(message);
}

// O_NONBLOCK so that a named pipe in a data set does not hang the program.
Result<UniqueFd> open_regular(const std::filesystem::path& path, struct stat& status) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return cannot("open", path);
  }
  if (::fstat(fd.get(), &status) != 0) {
    return cannot("stat", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Failure{fmt::format("{}: not a regular file", path.string())};
  }
  return fd;
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int UniqueFd::release() {
  return std::exchange(fd_, -1);
}

void UniqueFd::reset() {
  if (fd_ >= 0) {
    ::close(std::exchange(fd_, -1));
  }
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  struct stat status {};
  Result<UniqueFd> fd = open_regular(path, status);
  if (!fd) {
    return fd.failure();
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    return MappedFile(nullptr, 0);
  }
  void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.value().get(), 0);
  if (begin == MAP_FAILED) {
    return cannot("map", path);
  }
  return MappedFile(static_cast<const std::byte*>(begin), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (begin_ != nullptr) {
    ::munmap(const_cast<std::byte*>(begin_), size_);
  }
}

Result<FileIdentity> read_file_identity(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return cannot("stat", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Failure{fmt::format("{}: not a regular file", path.string())};
  }
  return FileIdentity{
      .size = Bytes{status.st_size},
      .modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

Result<std::string> read_text_file(const std::filesystem::path& path, Bytes limit) {
  struct stat status {};
  Result<UniqueFd> fd = open_regular(path, status);
  if (!fd) {
    return fd.failure();
  }
  if (status.st_size > limit.value) {
    return Failure{fmt::format(
        "{}: {} bytes; expected at most {}", path.string(), status.st_size, limit.value)};
  }
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(fd.value().get(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return cannot("read", path);
    }
    if (got == 0) {
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

AtomicFile::AtomicFile(std::filesystem::path path) : path_(std::move(path)) {
  temporary_ = path_;
  temporary_ += fmt::format(".part-{}", ::getpid());
  fd_ = UniqueFd(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd_) {
    fail(path_, "cannot create", "");
  }
}

AtomicFile::~AtomicFile() {
  if (fd_) {
    ::unlink(temporary_.c_str());
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0) {
      fail(path_, "cannot write", "; nothing was changed");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::commit() {
  if (::fsync(fd_.get()) != 0) {
    fail(path_, "cannot write", "; nothing was changed");
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw Error("{}: cannot rename into place: {}", path_.string(), reason());
  }
  fd_.reset();
  sync_folder_of(path_);
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "qanat-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error("{}: cannot make a temporary folder: {}; try another TMPDIR",
                name,
                std::generic_category().message(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what is left lies in the folder for temporary files
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace qanat
