#include "corpus/demo_corpus_folder.h"

#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "audio/audio_source.h"
#include "base/files.h"
#include "base/result.h"
#include "locale/message_error.h"
#include "locale/messages/demo.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Whether the folder that is open still has its name: another maker may have moved it on.
bool is_same_folder(int fd, const fs::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

// Samples of all files in the folder; nothing if one cannot be read.
std::optional<std::int64_t> count_samples(const fs::path& wavs) {
  std::error_code problem;
  std::int64_t samples = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(wavs, problem)) {
    const Result<AudioHeader> header = read_audio_header(entry.path());
    if (!header) {
      return std::nullopt;
    }
    samples += header.value().samples.value;
  }
  return problem ? std::nullopt : std::optional(samples);
}

}  // namespace

PartFolder::PartFolder(const fs::path& place) : place_(place.lexically_normal()), path_(place_) {
  if (!place_.has_filename()) {
    place_ = place_.parent_path();  // "demo/"
    path_ = place_;
  }
  path_ += ".part";
  std::error_code problem;
  fs::create_directories(path_, problem);
  lock_ = UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (problem || !lock_) {
    throw MessageError(
        to_message({.path = path_.string(), .action = FileAction::make_folder, .error = errno}));
  }
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 || !is_same_folder(lock_.get(), path_)) {
    moved_ = true;  // not ours to remove
    throw MessageError(msg::demo_busy{.folder = place_.string()});
  }
  for (const fs::directory_entry& left_over : fs::directory_iterator(path_)) {
    fs::remove_all(left_over);
  }
  fs::create_directory(path_ / "wavs");
}

PartFolder::~PartFolder() {
  if (!moved_) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

void PartFolder::move_into_place() {
  if (::rename(path_.c_str(), place_.c_str()) != 0) {
    throw MessageError(
        to_message({.path = place_.string(), .action = FileAction::rename, .error = errno}));
  }
  moved_ = true;
}

void write_plain_file(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw MessageError(msg::demo_not_written{.file = path.string()});
  }
}

void write_plain_file(const fs::path& path, std::string_view text) {
  write_plain_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::optional<json> find_demo_corpus(const fs::path& folder, const json& settings) {
  std::error_code problem;
  if (!fs::exists(folder, problem) || (fs::is_directory(folder) && fs::is_empty(folder))) {
    return std::nullopt;
  }
  const Result<std::string> text = read_text_file(folder / "demo.json");
  if (!text) {
    throw MessageError(msg::demo_not_empty{.folder = folder.string()});
  }
  const json described = json::parse(text.value(), nullptr, /*allow_exceptions=*/false);
  if (!described.is_object() || described.value("settings", json()) != settings) {
    throw MessageError(msg::demo_other_settings{.folder = folder.string()});
  }
  if (count_samples(folder / "wavs") != described.value("samples", std::int64_t{-1})) {
    throw MessageError(msg::demo_damaged{.folder = folder.string()});
  }
  return described;
}

}  // namespace qanat
