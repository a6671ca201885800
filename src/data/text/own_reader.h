// What the user's command (--g2p) says of lines, remembered.
//
// Fixture; thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/language_tag.h"
#include "base/result.h"
#include "text/own_front_end.h"
#include "text/phoneme_cache.h"

namespace qanat {

class OwnReader {
 public:
  // The file keeps the answers of this command; empty: none does.
  OwnReader(const std::string& command, const std::filesystem::path& cache_file);

  Result<std::string> symbols(std::string_view line, const LanguageTag& language);
  // Asks for all of them that are not known, one after the other.
  Result<Done> remember(std::span<const std::string> lines, const LanguageTag& language);

  // See OwnFrontEnd::probe().
  Result<std::uint64_t> probe(const LanguageTag& language) { return command_.probe(language); }

  const std::string& command() const { return command_.command(); }
  PhonemeCache& cache() { return cache_; }

 private:
  OwnFrontEnd command_;
  PhonemeCache cache_;  // by language and hash of the answers to the probes
};

}  // namespace qanat
