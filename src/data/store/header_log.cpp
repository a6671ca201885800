#include "store/header_log.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include <zlib.h>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"

namespace qanat {
namespace {

// Bytes of one object. More is read again at every start.
constexpr std::int64_t kMaxKept = 256 << 20;
constexpr std::int64_t kMaxRead = 16 << 20;

struct LogHeader {
  std::array<char, 8> magic = {'Q', 'A', 'N', 'A', 'T', 'H', 'D', 'R'};
  std::uint64_t version = 0;
  std::uint64_t size = 0;  // unpacked
  std::uint64_t checksum = 0;
};
static_assert(std::is_trivially_copyable_v<LogHeader> && sizeof(LogHeader) == 32);

struct ReadPlace {
  std::int64_t offset = 0;
  std::int64_t size = 0;
};

std::string unpacked_log(const KeptReads& reads) {
  std::string all;
  for (const auto& [place, bytes] : reads) {
    const ReadPlace at{.offset = place.first, .size = place.second};
    all.append(reinterpret_cast<const char*>(&at), sizeof(at));
    all.append(bytes);
  }
  return all;
}

Failure damaged_log() {
  return to_failure(msg::cache_refused{.why = msg::cache_checksum{}});
}

}  // namespace

std::string to_bytes(const KeptReads& reads, std::uint64_t version) {
  const std::string all = unpacked_log(reads);
  uLongf packed = compressBound(all.size());
  std::string bytes(sizeof(LogHeader) + packed, '\0');
  compress2(reinterpret_cast<Bytef*>(bytes.data() + sizeof(LogHeader)),
            &packed,
            reinterpret_cast<const Bytef*>(all.data()),
            all.size(),
            Z_BEST_SPEED);
  bytes.resize(sizeof(LogHeader) + packed);
  const LogHeader header{
      .version = version,
      .size = all.size(),
      .checksum = content_hash(std::string_view(bytes).substr(sizeof(LogHeader)), version)};
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

Result<KeptReads> parse_kept_reads(std::span<const std::byte> bytes, std::uint64_t version) {
  LogHeader header;
  if (bytes.size() < sizeof(header)) {
    return damaged_log();
  }
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::span<const std::byte> packed = bytes.subspan(sizeof(header));
  if (header.magic != LogHeader{}.magic || header.version != version ||
      header.size > 2 * static_cast<std::uint64_t>(kMaxKept) ||
      header.checksum != content_hash(packed, version)) {
    return damaged_log();
  }
  std::string all(header.size, '\0');
  uLongf size = all.size();
  if (uncompress(reinterpret_cast<Bytef*>(all.data()),
                 &size,
                 reinterpret_cast<const Bytef*>(packed.data()),
                 packed.size()) != Z_OK ||
      size != header.size) {
    return damaged_log();
  }
  KeptReads reads;
  std::string_view left = all;
  while (!left.empty()) {
    ReadPlace at;
    if (left.size() < sizeof(at)) {
      return damaged_log();
    }
    std::memcpy(&at, left.data(), sizeof(at));
    left.remove_prefix(sizeof(at));
    if (at.size < 0 || at.size > std::ssize(left)) {
      return damaged_log();
    }
    const auto count = static_cast<std::size_t>(at.size);
    reads.emplace(std::pair(at.offset, at.size), left.substr(0, count));
    left.remove_prefix(count);
  }
  return reads;
}

HeaderLog::HeaderLog(std::shared_ptr<const RandomAccess> file,
                     std::filesystem::path path,
                     std::uint64_t version)
    : file_(std::move(file)), path_(std::move(path)), version_(version) {
  const Result<std::string> bytes = read_text_file(path_, mebibytes(1024));
  if (!bytes) {
    return;
  }
  Result<KeptReads> reads = parse_kept_reads(std::as_bytes(std::span(bytes.value())), version_);
  if (reads) {
    reads_ = std::move(reads).value();
    for (const auto& [place, kept] : reads_) {
      kept_ += std::ssize(kept);
    }
  }
}

HeaderLog::~HeaderLog() {
  if (!is_new_ || kept_ > kMaxKept) {
    return;
  }
  // Without it the next start is slower, no more.
  try {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);
    write_text_file(path_, to_bytes(reads_, version_));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch)
  }
}

Result<Done> HeaderLog::read(Bytes offset, std::span<std::byte> out) const {
  const std::pair place(offset.value, static_cast<std::int64_t>(std::ssize(out)));
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = reads_.find(place); found != reads_.end()) {
      std::ranges::copy(std::as_bytes(std::span(found->second)), out.begin());
      return Done{};
    }
  }
  const Result<Done> read = file_->read(offset, out);
  const std::lock_guard lock(mutex_);
  if (read && place.second <= kMaxRead && kept_ <= kMaxKept) {
    kept_ += place.second;
    is_new_ = true;
    reads_.emplace(place, std::string(reinterpret_cast<const char*>(out.data()), out.size()));
    if (kept_ > kMaxKept) {
      reads_.clear();
    }
  }
  return read;
}

}  // namespace qanat
