#include "features/verified_shards.h"

#include <chrono>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

constexpr const char* kList = "verified.txt";
// A file that was written a moment ago may be written again within one tick of its clock.
constexpr std::chrono::seconds kSettled{2};

bool is_settled(const std::filesystem::path& shard) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(shard, error);
  return !error && std::filesystem::file_time_type::clock::now() - written >= kSettled;
}

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
    if (std::optional<std::string> seal = is_settled(shard) ? seal_of(shard) : std::nullopt) {
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
