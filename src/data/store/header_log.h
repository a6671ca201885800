// What a pass over the headers of an object read, kept on the local disk: the next start reads the
// same bytes, and finds them there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "archive/random_access.h"

namespace qanat {

// Reads of one version of a file: what was asked for, and the answer.
using KeptReads = std::map<std::pair<std::int64_t, std::int64_t>, std::string>;

// `version` identifies what was read.
std::string to_bytes(const KeptReads& reads, std::uint64_t version);
// Failure: damaged, or of another version.
Result<KeptReads> parse_kept_reads(std::span<const std::byte> bytes, std::uint64_t version);

// Answers from what is kept, asks the file for the rest, and keeps that. Thread-safe.
class HeaderLog final : public RandomAccess {
 public:
  // `path`: where reads are kept; it need not be there. A disk that refuses is no failure.
  HeaderLog(std::shared_ptr<const RandomAccess> file,
            std::filesystem::path path,
            std::uint64_t version);
  HeaderLog(const HeaderLog&) = delete;
  HeaderLog& operator=(const HeaderLog&) = delete;
  // Writes what is new.
  ~HeaderLog() override;

  Bytes size() const override { return file_->size(); }
  Result<Done> read(Bytes offset, std::span<std::byte> out) const override;

 private:
  const std::shared_ptr<const RandomAccess> file_;  // shared with who reads clips
  const std::filesystem::path path_;
  const std::uint64_t version_;
  mutable std::mutex mutex_;       // guards all below
  mutable KeptReads reads_;        // empty: there are too many
  mutable std::int64_t kept_ = 0;  // bytes of them
  mutable bool is_new_ = false;    // some are not on the disk
};

}  // namespace qanat
