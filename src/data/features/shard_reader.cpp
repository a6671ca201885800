#include "features/shard_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/files.h"
#include "base/retry.h"
#include "features/half.h"
#include "locale/message_error.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

// Other files a process has open: the journal, data files being read, devices.
constexpr std::size_t kOtherFiles = 256;

// What errno says; 0: it is no regular file.
Failure shard_cannot(FileAction action, const std::filesystem::path& path, int error) {
  FileTrouble trouble{.path = path.string(), .action = action, .error = error};
  std::string what = to_string(trouble);
  return {.what = std::move(what), .trouble = std::move(trouble)};
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
  ShardOnDisk(std::filesystem::path path, UniqueFd fd, std::uint64_t size)
      : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  Result<Done> read(std::uint64_t offset,
                    std::span<std::byte> first,
                    std::span<std::byte> second) const override {
    std::size_t filled = 0;
    while (filled < first.size() + second.size()) {
      const std::size_t into_second = filled > first.size() ? filled - first.size() : 0;
      const std::array<iovec, 2> parts = {to_iovec(first, filled), to_iovec(second, into_second)};
      const ssize_t got = retry_call([&] {
        return ::preadv(fd_.get(), parts.data(), 2, static_cast<off_t>(offset + filled));
      });
      if (got < 0) {
        return shard_cannot(FileAction::read, path_, errno);
      }
      if (got == 0) {
        return to_failure(msg::shard_shorter{});
      }
      filled += static_cast<std::size_t>(got);
    }
    return Done{};
  }

 private:
  const std::filesystem::path path_;
  const UniqueFd fd_;
  const std::uint64_t size_;
};

template <typename T>
T value_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Hashes what stands in front of the field `checksum` of a header or footer.
std::uint64_t checksum_before(std::span<const std::byte> bytes, std::size_t checksum_offset) {
  return content_hash(bytes.first(checksum_offset));
}

bool is_magic(const std::array<char, 8>& bytes, std::string_view magic) {
  return std::string_view(bytes.data(), bytes.size()) == magic;
}

Result<ShardSettings> read_header(std::span<const std::byte> bytes) {
  const auto header = value_at<ShardHeader>(bytes, 0);
  if (!is_magic(header.magic, kShardMagic)) {
    return to_failure(msg::shard_no_shard{});
  }
  if (header.checksum != checksum_before(bytes, offsetof(ShardHeader, checksum))) {
    return to_failure(msg::shard_header{});
  }
  if (header.version != kShardVersion) {
    return to_failure(msg::shard_version{.version = plain(static_cast<double>(header.version), 0),
                                         .expected = plain(static_cast<double>(kShardVersion), 0)});
  }
  if (header.dtype > static_cast<std::uint32_t>(MelDtype::f16) || header.mel_bins == 0 ||
      header.mel_bins > kMaxMelBins) {
    return to_failure(
        msg::shard_bad_header{.dtype = plain(static_cast<double>(header.dtype), 0),
                              .bins = plain(static_cast<double>(header.mel_bins), 0)});
  }
  return ShardSettings{.fingerprint = header.fingerprint,
                       .dtype = static_cast<MelDtype>(header.dtype),
                       .mel_bins = header.mel_bins};
}

// `start` is where it lies in the shard.
Result<ShardFooter> read_footer(std::span<const std::byte> bytes, std::uint64_t start) {
  const auto footer = value_at<ShardFooter>(bytes, 0);
  if (!is_magic(footer.magic, kShardEndMagic)) {
    return to_failure(msg::shard_cut{});
  }
  if (footer.checksum != checksum_before(bytes, offsetof(ShardFooter, checksum))) {
    return to_failure(msg::shard_footer{});
  }
  // Compared in this order no sum can overflow.
  const std::uint64_t room = start - sizeof(ShardHeader);
  const std::uint64_t most_entries = room / sizeof(ShardRecord);
  if (footer.num_entries > most_entries || footer.id_bytes > room || footer.index_offset > start ||
      footer.index_offset < sizeof(ShardHeader) ||
      footer.index_offset + footer.num_entries * sizeof(ShardRecord) + footer.id_bytes != start) {
    return to_failure(msg::shard_bad_footer{});
  }
  return footer;
}

}  // namespace

Result<std::unique_ptr<ShardBytes>> open_shard_file(const std::filesystem::path& path) {
  UniqueFd fd(retry_call([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); }));
  if (!fd) {
    return shard_cannot(FileAction::open, path, errno);
  }
  struct stat status {};
  if (retry_call([&] { return ::fstat(fd.get(), &status); }) != 0) {
    return shard_cannot(FileAction::examine, path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return shard_cannot(FileAction::open, path, 0);
  }
  return std::unique_ptr<ShardBytes>(std::make_unique<ShardOnDisk>(
      path, std::move(fd), static_cast<std::uint64_t>(status.st_size)));
}

std::size_t open_files_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

std::size_t open_files_for(std::size_t count) {
  return num_open_files() + count + kOtherFiles;
}

void make_room_for_open_files(std::size_t count) {
  rlimit limit{};
  const rlim_t wanted = open_files_for(count);
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

Result<ShardReader> ShardReader::open(std::unique_ptr<ShardBytes> bytes) {
  if (bytes->size() < sizeof(ShardHeader) + sizeof(ShardFooter)) {
    return to_failure(msg::shard_short{.bytes = plain(static_cast<double>(bytes->size()), 0)});
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
    return to_failure(msg::shard_index{});
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
      return to_failure(msg::shard_bad_entry{.entry = plain(static_cast<double>(i), 0)});
    }
    block_end += size;
    id_end += r.id_size;
  }
  if (block_end != footer.index_offset || id_end != ids().size()) {
    return to_failure(msg::shard_bad_index{});
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
    return to_failure(msg::shard_checksum{});
  }
  if (!direct) {
    const auto* mel = reinterpret_cast<const std::uint16_t*>(rest.data());
    from_half({mel, room.mel.size()}, room.mel);
  }
  // Not memcpy(): a row without tokens has nowhere to copy to.
  std::ranges::copy(rest.subspan(block.tokens_offset - first.size(), room.tokens.size_bytes()),
                    std::as_writable_bytes(room.tokens).begin());
  return Done{};
}

Result<Done> ShardReader::check(std::size_t index, PageBuffer& scratch) const {
  const ShardRecord r = record(index);
  const std::span<std::byte> block = scratch.room(layout(r).size);
  if (Result<Done> got = bytes_->read(r.offset, block, {}); !got) {
    return got;
  }
  if (content_hash(std::span<const std::byte>(block)) != r.checksum) {
    return to_failure(msg::shard_checksum{});
  }
  return Done{};
}

}  // namespace qanat
