// The file DONE of a checkpoint: which files belong to it, how long they are, and their checksums.
// It is written last, so a folder that has it has everything.
//
// Values and functions on files; no libtorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/result.h"

namespace qanat {

inline constexpr std::string_view kSealName = "DONE";

struct SealedFile {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // XXH3, 64 bit

  bool operator==(const SealedFile&) const = default;
};

struct CheckpointSeal {
  std::int64_t step = 0;
  // Counts the saves into a folder: the latest checkpoint is the one saved last. After a return to
  // an earlier step it is not the one with the highest step.
  std::int64_t save = 0;
  bool best = false;                        // it validated better than all before
  std::map<std::string, SealedFile> files;  // by name

  bool operator==(const CheckpointSeal&) const = default;
};

std::string to_text(const CheckpointSeal& seal);
Result<CheckpointSeal> parse_seal(std::string_view text);

Result<CheckpointSeal> read_seal(const std::filesystem::path& checkpoint);

SealedFile seal_of(std::string_view content);

// The content of a sealed file, or what differs: missing, length, checksum.
Result<std::string> read_sealed_file(const std::filesystem::path& checkpoint,
                                     const CheckpointSeal& seal,
                                     const std::string& name);
// The same without a copy: for files that are large, or read by many.
Result<MappedFile> map_sealed_file(const std::filesystem::path& checkpoint,
                                   const CheckpointSeal& seal,
                                   const std::string& name);

}  // namespace qanat
