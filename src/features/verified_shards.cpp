#include "features/verified_shards.h"

#include <fstream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

constexpr const char* kList = "verified.txt";

std::optional<std::string> seal_of(const std::filesystem::path& shard) {
  const Result<FileIdentity> identity = read_file_identity(shard);
  if (!identity) {
    return std::nullopt;
  }
  return fmt::format("{:016x}",
                     ContentHasher()
                         .add(shard.filename().string())
                         .add(identity.value().size.value)
                         .add(identity.value().modified_ns)
                         .value());
}

}  // namespace

VerifiedShards::VerifiedShards(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::ifstream list(folder_ / kList);
  for (std::string line; std::getline(list, line);) {
    seals_.insert(line);
  }
}

bool VerifiedShards::has(const std::filesystem::path& shard) const {
  const std::optional<std::string> seal = seals_.empty() ? std::nullopt : seal_of(shard);
  return seal && seals_.contains(*seal);
}

void VerifiedShards::keep(const std::vector<std::filesystem::path>& shards) {
  std::set<std::string, std::less<>> seals;
  std::string text;
  for (const std::filesystem::path& shard : shards) {
    if (std::optional<std::string> seal = seal_of(shard)) {
      text += *seal + '\n';
      seals.insert(*std::move(seal));
    }
  }
  if (seals == seals_) {
    return;
  }
  try {
    write_text_file(folder_ / kList, text);
  } catch (const Error&) {
    return;
  }
  seals_ = std::move(seals);
}

}  // namespace qanat
