#include "features/shard_reader.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "features/half.h"

namespace qanat {
namespace {

// Other files a process has open: the journal, data files being read, devices.
constexpr std::size_t kOtherFiles = 256;

Failure shard_cannot(const char* verb, const std::filesystem::path& path) {
  return Failure{fmt::format("{}: cannot {}: {}", path.string(), verb, std::strerror(errno))};
}

std::size_t num_open_files() {
  std::error_code error;
  std::size_t count = 0;
  using Folder = std::filesystem::directory_iterator;
  for (Folder file("/proc/self/fd", error); !error && file != Folder(); file.increment(error)) {
    ++count;
  }
  return count;
}

iovec to_iovec(std::span<std::byte> bytes, std::size_t skip) {
  const std::size_t skipped = skip < bytes.size() ? skip : bytes.size();
  return {.iov_base = bytes.data() + skipped, .iov_len = bytes.size() - skipped};
}

class ShardOnDisk : public ShardBytes {
 public:
  ShardOnDisk(UniqueFd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  Result<Done> read(std::uint64_t offset,
                    std::span<std::byte> first,
                    std::span<std::byte> second) const override {
    std::size_t filled = 0;
    while (filled < first.size() + second.size()) {
      const std::size_t into_second = filled > first.size() ? filled - first.size() : 0;
      const std::array<iovec, 2> parts = {to_iovec(first, filled), to_iovec(second, into_second)};
      const ssize_t got = ::preadv(fd_.get(), parts.data(), 2, static_cast<off_t>(offset + filled));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return Failure{fmt::format("cannot read: {}", std::strerror(errno))};
      }
      if (got == 0) {
        return Failure{"the file has become shorter since it was opened"};
      }
      filled += static_cast<std::size_t>(got);
    }
    return Done{};
  }

 private:
  const UniqueFd fd_;
  const std::uint64_t size_;
};

template <typename T>
T value_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Of a header or footer: everything in front of its field `checksum`.
std::uint64_t checksum_before(std::span<const std::byte> bytes, std::size_t checksum_offset) {
  return content_hash(bytes.first(checksum_offset));
}

bool is_magic(const std::array<char, 8>& bytes, std::string_view magic) {
  return std::string_view(bytes.data(), bytes.size()) == magic;
}

Result<ShardSettings> read_header(std::span<const std::byte> bytes) {
  const auto header = value_at<ShardHeader>(bytes, 0);
  if (!is_magic(header.magic, kShardMagic)) {
    return Failure{"not a shard: it does not begin as one"};
  }
  if (header.checksum != checksum_before(bytes, offsetof(ShardHeader, checksum))) {
    return Failure{"damaged header: its checksum does not match"};
  }
  if (header.version != kShardVersion) {
    return Failure{fmt::format("shard version {}; expected {}", header.version, kShardVersion)};
  }
  if (header.dtype > static_cast<std::uint32_t>(MelDtype::f16) || header.mel_bins == 0 ||
      header.mel_bins > kMaxMelBins) {
    return Failure{
        fmt::format("impossible header: dtype {}, {} mel bins", header.dtype, header.mel_bins)};
  }
  return ShardSettings{.fingerprint = header.fingerprint,
                       .dtype = static_cast<MelDtype>(header.dtype),
                       .mel_bins = header.mel_bins};
}

// `start` is where it lies in the shard.
Result<ShardFooter> read_footer(std::span<const std::byte> bytes, std::uint64_t start) {
  const auto footer = value_at<ShardFooter>(bytes, 0);
  if (!is_magic(footer.magic, kShardEndMagic)) {
    return Failure{"cut off: it does not end as a shard"};
  }
  if (footer.checksum != checksum_before(bytes, offsetof(ShardFooter, checksum))) {
    return Failure{"damaged footer: its checksum does not match"};
  }
  // Compared in this order no sum can overflow.
  const std::uint64_t room = start - sizeof(ShardHeader);
  const std::uint64_t most_entries = room / sizeof(ShardRecord);
  if (footer.num_entries > most_entries || footer.id_bytes > room || footer.index_offset > start ||
      footer.index_offset < sizeof(ShardHeader) ||
      footer.index_offset + footer.num_entries * sizeof(ShardRecord) + footer.id_bytes != start) {
    return Failure{"impossible footer: the index does not fill the place before it"};
  }
  return footer;
}

}  // namespace

Result<std::unique_ptr<ShardBytes>> open_shard_file(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) {
    return shard_cannot("open", path);
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return shard_cannot("stat", path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Failure{fmt::format("{}: not a regular file", path.string())};
  }
  return std::unique_ptr<ShardBytes>(
      std::make_unique<ShardOnDisk>(std::move(fd), static_cast<std::uint64_t>(status.st_size)));
}

void make_room_for_open_files(std::size_t count) {
  rlimit limit{};
  const rlim_t wanted = num_open_files() + count + kOtherFiles;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Result<ShardReader> ShardReader::open(std::unique_ptr<ShardBytes> bytes) {
  if (bytes->size() < sizeof(ShardHeader) + sizeof(ShardFooter)) {
    return Failure{fmt::format("too short for a shard: {} bytes", bytes->size())};
  }
  std::array<std::byte, sizeof(ShardHeader)> first;
  std::array<std::byte, sizeof(ShardFooter)> last;
  const std::uint64_t footer_offset = bytes->size() - sizeof(ShardFooter);
  if (const Result<Done> got = bytes->read(0, first, {}); !got) {
    return got.failure();
  }
  if (const Result<Done> got = bytes->read(footer_offset, last, {}); !got) {
    return got.failure();
  }
  const Result<ShardSettings> settings = read_header(first);
  if (!settings) {
    return settings.failure();
  }
  const Result<ShardFooter> footer = read_footer(last, footer_offset);
  if (!footer) {
    return footer.failure();
  }
  ShardReader reader(std::move(bytes), settings.value());
  if (const Result<Done> checked = reader.read_index(footer.value()); !checked) {
    return checked.failure();
  }
  return reader;
}

Result<Done> ShardReader::read_index(const ShardFooter& footer) {
  num_entries_ = footer.num_entries;
  index_.resize(num_entries_ * sizeof(ShardRecord) + footer.id_bytes);
  if (Result<Done> got = bytes_->read(footer.index_offset, index_, {}); !got) {
    return got;
  }
  if (footer.index_checksum != content_hash(std::span<const std::byte>(index_))) {
    return Failure{"damaged index: its checksum does not match"};
  }
  return check_records(footer);
}

// Blocks and ids are contiguous, so nothing overlaps and a checksum covers every byte of the file.
Result<Done> ShardReader::check_records(const ShardFooter& footer) const {
  std::uint64_t block_end = sizeof(ShardHeader);
  std::uint64_t id_end = 0;
  for (std::size_t i = 0; i < num_entries_; ++i) {
    const ShardRecord r = record(i);
    const std::uint64_t size = layout(r).size;
    if (r.offset != block_end || size > footer.index_offset - block_end || r.id_offset != id_end ||
        r.id_size == 0 || r.id_size > ids().size() - id_end) {
      return Failure{fmt::format("impossible index: entry {} lies outside its place", i)};
    }
    block_end += size;
    id_end += r.id_size;
  }
  if (block_end != footer.index_offset || id_end != ids().size()) {
    return Failure{"impossible index: its entries do not fill the shard"};
  }
  return Done{};
}

std::string_view ShardReader::ids() const {
  const std::span<const std::byte> ids =
      std::span(index_).subspan(num_entries_ * sizeof(ShardRecord));
  return {reinterpret_cast<const char*>(ids.data()), ids.size()};
}

ShardRecord ShardReader::record(std::size_t index) const {
  QANAT_CHECK(index < num_entries_) << index << " of " << num_entries_;
  return value_at<ShardRecord>(index_, index * sizeof(ShardRecord));
}

BlockLayout ShardReader::layout(const ShardRecord& record) const {
  return block_layout(settings_, record.frames, record.tokens);
}

ShardEntry ShardReader::entry(std::size_t index) const {
  const ShardRecord r = record(index);
  return {.id = ids().substr(r.id_offset, r.id_size),
          .key = {.audio = {.size = Bytes{r.audio_size}, .modified_ns = r.audio_modified_ns},
                  .text_hash = r.text_hash},
          .frames = FrameCount{r.frames},
          .tokens = TokenCount{r.tokens}};
}

// Single precision is read to where it belongs, and the checksum is of the copy: what is checked
// is what is used.
Result<Done> ShardReader::read(std::size_t index,
                               const FeatureRoom& room,
                               PageBuffer& scratch) const {
  const ShardRecord r = record(index);
  const BlockLayout block = layout(r);
  QANAT_CHECK(room.mel.size() == std::size_t{r.frames} * settings_.mel_bins &&
              room.tokens.size() == r.tokens);
  const bool direct = settings_.dtype == MelDtype::f32;
  const std::span<std::byte> first =
      direct ? std::as_writable_bytes(room.mel) : std::span<std::byte>();
  const std::span<std::byte> rest = scratch.room(block.size - first.size());
  if (Result<Done> got = bytes_->read(r.offset, first, rest); !got) {
    return got;
  }
  if (content_hash_of_both(first, rest) != r.checksum) {
    return Failure{"its checksum does not match"};
  }
  if (!direct) {
    const auto* mel = reinterpret_cast<const std::uint16_t*>(rest.data());
    from_half({mel, room.mel.size()}, room.mel);
  }
  std::memcpy(room.tokens.data(),
              rest.data() + (block.tokens_offset - first.size()),
              room.tokens.size_bytes());
  return Done{};
}

Result<Done> ShardReader::check(std::size_t index, PageBuffer& scratch) const {
  const ShardRecord r = record(index);
  const std::span<std::byte> block = scratch.room(layout(r).size);
  if (Result<Done> got = bytes_->read(r.offset, block, {}); !got) {
    return got;
  }
  if (content_hash(std::span<const std::byte>(block)) != r.checksum) {
    return Failure{"its checksum does not match"};
  }
  return Done{};
}

}  // namespace qanat
