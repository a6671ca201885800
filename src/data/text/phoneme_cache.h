// Phonemes that were asked for before, in memory and optionally in a file.
//
// Thread-safe. The file is read by the first question, and appears whole or not at all; entries
// another program wrote meanwhile are kept. A file of another espeak-ng version, or one that cannot
// be read, is replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/quantity.h"

namespace qanat {

class PhonemeCache {
 public:
  // An empty path keeps everything in memory. `version` is what the phonemes depend on.
  PhonemeCache(std::filesystem::path file, std::string version);
  PhonemeCache(const PhonemeCache&) = delete;
  PhonemeCache& operator=(const PhonemeCache&) = delete;
  ~PhonemeCache();  // saves; a disk that cannot be written loses the new entries, nothing else

  // `speaker` is whoever was asked: a language of espeak-ng. No tabs.
  std::optional<std::string> find(std::string_view speaker, std::string_view words) const;

  // Stops taking entries when it holds kMaxBytes. Saves now and then, so that a run that is
  // killed does not start from nothing.
  void insert(std::string_view speaker, std::string_view words, std::string_view phonemes);

  // Writes what is new. Throws Error when the file cannot be written.
  void save();

  std::size_t size() const;

  static constexpr Bytes kMaxBytes = mebibytes(256);

 private:
  std::string header() const;
  void read_once() const;
  void read_file();
  void insert_locked(std::string key, std::string_view phonemes);
  void save_locked();

  const std::filesystem::path file_;
  const std::string version_;
  mutable std::once_flag read_;
  mutable std::shared_mutex mutex_;                       // guards the rest
  std::unordered_map<std::string, std::string> entries_;  // "en\twords" to phonemes
  Bytes bytes_;
  std::size_t unsaved_ = 0;  // entries
};

}  // namespace qanat
