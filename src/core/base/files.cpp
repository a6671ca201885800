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

#include "base/error.h"
#include "base/retry.h"

namespace qanat {
namespace {

// A rename is durable only once the folder that holds the name is.
void sync_folder_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) {
    ::fsync(fd.get());
  }
}

// What errno says.
Failure cannot(FileAction action, const std::filesystem::path& path, std::string_view flag = "") {
  FileTrouble trouble{
      .path = path.string(), .action = action, .error = errno, .flag = std::string(flag)};
  std::string what = to_string(trouble);
  return {.what = std::move(what), .trouble = std::move(trouble)};
}

Failure irregular(const std::filesystem::path& path) {
  errno = 0;
  return cannot(FileAction::open, path);
}

[[noreturn]] void fail(FileAction action,
                       const std::filesystem::path& path,
                       std::string_view flag = "") {
  throw Error(cannot(action, path, flag));
}

// O_NONBLOCK so that a named pipe in a data set does not hang the program.
Result<UniqueFd> open_regular(const std::filesystem::path& path, struct stat& status) {
  UniqueFd fd(retry_call([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (!fd) {
    return cannot(FileAction::open, path);
  }
  if (retry_call([&] { return ::fstat(fd.get(), &status); }) != 0) {
    return cannot(FileAction::examine, path);
  }
  if (!S_ISREG(status.st_mode)) {
    return irregular(path);
  }
  return fd;
}

const char* verb_of(FileAction action) {
  switch (action) {
    case FileAction::open:
      return "open";
    case FileAction::examine:
      return "stat";
    case FileAction::map:
      return "map";
    case FileAction::read:
      return "read";
    case FileAction::create:
      return "create";
    case FileAction::write:
      return "write";
    case FileAction::rename:
      return "rename into place";
    case FileAction::make_folder:
      return "make the folder";
    case FileAction::lock:
      return "lock";
  }
  return "use";
}

}  // namespace

std::string to_string(const FileTrouble& trouble) {
  if (trouble.error == 0) {
    return trouble.path + ": not a regular file";
  }
  return fmt::format("{}: cannot {}: {}{}{}",
                     trouble.path,
                     verb_of(trouble.action),
                     std::strerror(trouble.error),
                     trouble.action == FileAction::write ? "; nothing was changed" : "",
                     trouble.flag.empty() ? "" : "; try another " + trouble.flag);
}

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
  // Private pages: whoever writes into a tensor of a checkpoint gets a copy of the page, not a
  // fault.
  void* begin = retry_call([&] {
    return ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd.value().get(), 0);
  });
  if (begin == MAP_FAILED) {
    return cannot(FileAction::map, path);
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
  if (retry_call([&] { return ::stat(path.c_str(), &status); }) != 0) {
    return cannot(FileAction::examine, path);
  }
  if (!S_ISREG(status.st_mode)) {
    return irregular(path);
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
    const ssize_t got = retry_call(
        [&] { return ::read(fd.value().get(), text.data() + filled, text.size() - filled); });
    if (got < 0) {
      return cannot(FileAction::read, path);
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
  fd_ = UniqueFd(retry_call([this] {
    return ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }));
  if (!fd_) {
    fail(FileAction::create, path_);
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
      fail(FileAction::write, path_);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void AtomicFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void AtomicFile::commit() {
  if (::fsync(fd_.get()) != 0) {
    fail(FileAction::write, path_);
  }
  if (retry_call([this] { return ::rename(temporary_.c_str(), path_.c_str()); }) != 0) {
    fail(FileAction::rename, path_);
  }
  fd_.reset();
  sync_folder_of(path_);
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

void make_folders(const std::filesystem::path& path, std::string_view flag) {
  const auto make = [&] {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    errno = error.value();
    return error ? -1 : 0;
  };
  if (retry_call(make) != 0) {
    fail(FileAction::make_folder, path, flag);
  }
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "qanat-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(cannot(FileAction::make_folder, name, "TMPDIR"));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what is left lies in the folder for temporary files
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace qanat
