#include "checkpoint_files/checkpoint_seal.h"

#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"

namespace qanat {
namespace {

constexpr std::string_view kSealFormat = "qanat-checkpoint-seal";
constexpr int kSealVersion = 1;
constexpr Bytes kLargestSeal = mebibytes(1);
constexpr Bytes kLargestFile = mebibytes(1 << 20);

std::optional<std::int64_t> count_at(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned() ||
      found->get<std::uint64_t>() >
          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return std::nullopt;
  }
  return found->get<std::int64_t>();
}

std::optional<std::uint64_t> checksum_at(const nlohmann::json& json) {
  const auto found = json.find("xxh3");
  if (found == json.end() || !found->is_string()) {
    return std::nullopt;
  }
  const auto& text = found->get_ref<const std::string&>();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 16 || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// A name inside the folder, not a way out of it.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

std::optional<SealedFile> to_sealed_file(const nlohmann::json& json) {
  if (!json.is_object()) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> bytes = count_at(json, "bytes");
  const std::optional<std::uint64_t> checksum = checksum_at(json);
  if (!bytes || !checksum) {
    return std::nullopt;
  }
  return SealedFile{.bytes = static_cast<std::uint64_t>(*bytes), .checksum = *checksum};
}

}  // namespace

std::string to_text(const CheckpointSeal& seal) {
  nlohmann::json files = nlohmann::json::object();
  for (const auto& [name, file] : seal.files) {
    files[name] = {{"bytes", file.bytes}, {"xxh3", fmt::format("{:016x}", file.checksum)}};
  }
  const nlohmann::json json = {{"format", kSealFormat},
                               {"version", kSealVersion},
                               {"step", seal.step},
                               {"save", seal.save},
                               {"best", seal.best},
                               {"files", files}};
  return json.dump(2) + '\n';
}

Result<CheckpointSeal> parse_seal(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("format", nlohmann::json()) != kSealFormat ||
      count_at(json, "version") != kSealVersion) {
    return to_failure(msg::seal_none{.version = kSealVersion});
  }
  const std::optional<std::int64_t> step = count_at(json, "step");
  const std::optional<std::int64_t> save = count_at(json, "save");
  const auto best = json.find("best");
  const auto files = json.find("files");
  if (!step || !save || best == json.end() || !best->is_boolean() || files == json.end() ||
      !files->is_object()) {
    return to_failure(msg::seal_incomplete{});
  }
  CheckpointSeal seal{.step = *step, .save = *save, .best = best->get<bool>()};
  for (const auto& [name, entry] : files->items()) {
    const std::optional<SealedFile> file = to_sealed_file(entry);
    if (!file || !is_plain_name(name)) {
      return to_failure(msg::seal_bad_file{});
    }
    seal.files.emplace(name, *file);
  }
  return seal;
}

Result<CheckpointSeal> read_seal(const std::filesystem::path& checkpoint) {
  const std::filesystem::path path = checkpoint / kSealName;
  const Result<std::string> text = read_text_file(path, kLargestSeal);
  if (!text) {
    return text.failure();
  }
  Result<CheckpointSeal> seal = parse_seal(text.value());
  if (!seal) {
    return to_failure(
        msg::checkpoint_file{.file = path.string(), .reason = reason_of(seal.failure())});
  }
  return seal;
}

SealedFile seal_of(std::string_view content) {
  return {.bytes = content.size(), .checksum = content_hash(content)};
}

namespace {

// What is wrong with the content of a file; nothing when it is the one that was sealed.
std::optional<Failure> difference(const std::filesystem::path& path,
                                  const CheckpointSeal& seal,
                                  std::string_view content) {
  const auto expected = seal.files.find(path.filename().string());
  if (expected == seal.files.end()) {
    return to_failure(msg::seal_not_named{.file = path.string(), .seal = std::string(kSealName)});
  }
  const SealedFile found = seal_of(content);
  if (found.bytes != expected->second.bytes) {
    return to_failure(msg::seal_other_length{.file = path.string(),
                                             .bytes = found.bytes,
                                             .seal = std::string(kSealName),
                                             .expected = expected->second.bytes});
  }
  if (found.checksum != expected->second.checksum) {
    return to_failure(
        msg::seal_other_checksum{.file = path.string(),
                                 .checksum = fmt::format("{:016x}", found.checksum),
                                 .seal = std::string(kSealName),
                                 .expected = fmt::format("{:016x}", expected->second.checksum)});
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> read_sealed_file(const std::filesystem::path& checkpoint,
                                     const CheckpointSeal& seal,
                                     const std::string& name) {
  const std::filesystem::path path = checkpoint / name;
  if (!seal.files.contains(name)) {
    return Failure{fmt::format("{}: not named in {}", path.string(), kSealName)};
  }
  Result<std::string> content = read_text_file(path, kLargestFile);
  if (!content) {
    return content;
  }
  if (std::optional<Failure> wrong = difference(path, seal, content.value())) {
    return *std::move(wrong);
  }
  return content;
}

Result<MappedFile> map_sealed_file(const std::filesystem::path& checkpoint,
                                   const CheckpointSeal& seal,
                                   const std::string& name) {
  const std::filesystem::path path = checkpoint / name;
  if (!seal.files.contains(name)) {
    return Failure{fmt::format("{}: not named in {}", path.string(), kSealName)};
  }
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return file;
  }
  const std::span<const std::byte> bytes = file.value().bytes();
  if (std::optional<Failure> wrong =
          difference(path, seal, {reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
    return *std::move(wrong);
  }
  return file;
}

}  // namespace qanat
