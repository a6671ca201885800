#include "text/phoneme_cache.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

constexpr std::size_t kMinToSave = 4096;  // entries; later whenever the file grows by half
constexpr std::string_view kFormat = "qanat phonemes 3";

std::string make_key(std::string_view speaker, std::string_view words) {
  std::string key(speaker);
  key += '\t';
  key += words;
  return key;
}

}  // namespace

PhonemeCache::PhonemeCache(std::filesystem::path file, std::string version)
    : file_(std::move(file)), version_(std::move(version)) {}

// Before any lock is taken. Const, because nobody can tell when it happens.
void PhonemeCache::read_once() const {
  std::call_once(read_, [this] {
    const std::unique_lock lock(mutex_);
    const_cast<PhonemeCache*>(this)->read_file();  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  });
}

PhonemeCache::~PhonemeCache() {
  try {
    save();
  } catch (const std::exception&) {  // nothing that was asked for is lost, only time next run
  }
}

std::string PhonemeCache::header() const {
  return fmt::format("{}\t{}\n", kFormat, version_);
}

void PhonemeCache::read_file() {
  if (file_.empty()) {
    return;
  }
  const Result<std::string> text = read_text_file(file_, kMaxBytes + kMaxBytes);
  if (!text || !text.value().starts_with(header())) {
    return;
  }
  std::string_view rest = std::string_view(text.value()).substr(header().size());
  for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const std::string_view line = rest.substr(0, end);
    const std::size_t tab = line.rfind('\t');  // language, words, phonemes
    if (tab != std::string_view::npos && line.find('\t') < tab) {
      insert_locked(std::string(line.substr(0, tab)), line.substr(tab + 1));
    }
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::string> PhonemeCache::find(std::string_view speaker,
                                              std::string_view words) const {
  read_once();
  const std::shared_lock lock(mutex_);
  const auto found = entries_.find(make_key(speaker, words));
  return found == entries_.end() ? std::nullopt : std::optional(found->second);
}

void PhonemeCache::insert(std::string_view speaker,
                          std::string_view words,
                          std::string_view phonemes) {
  const std::unique_lock lock(mutex_);
  insert_locked(make_key(speaker, words), phonemes);
  ++unsaved_;
  if (unsaved_ < std::max(kMinToSave, entries_.size() / 2)) {
    return;
  }
  try {
    save_locked();
  } catch (const Error&) {  // an optimisation that failed; the last save() says so
    unsaved_ = 1;
  }
}

void PhonemeCache::insert_locked(std::string key, std::string_view phonemes) {
  const auto added = static_cast<std::int64_t>(key.size() + phonemes.size());
  if (bytes_.value + added > kMaxBytes.value) {
    return;
  }
  if (entries_.try_emplace(std::move(key), phonemes).second) {
    bytes_.value += added;
  }
}

void PhonemeCache::save() {
  const std::unique_lock lock(mutex_);
  save_locked();
}

void PhonemeCache::save_locked() {
  if (file_.empty() || unsaved_ == 0) {
    return;
  }
  read_file();
  std::error_code ignored;  // what matters shows when the file is opened
  std::filesystem::create_directories(file_.parent_path(), ignored);
  AtomicFile file(file_);
  file.write(header());
  for (const auto& [key, phonemes] : entries_) {
    file.write(fmt::format("{}\t{}\n", key, phonemes));
  }
  file.commit();
  unsaved_ = 0;
}

std::size_t PhonemeCache::size() const {
  read_once();
  const std::shared_lock lock(mutex_);
  return entries_.size();
}

}  // namespace qanat
