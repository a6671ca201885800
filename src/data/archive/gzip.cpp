#include "archive/gzip.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <zlib.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, in a gzip frame
constexpr std::size_t kRoomStep = std::size_t{1} << 20;

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1F} && bytes[1] == std::byte{0x8B};
}

Result<std::string> gunzip(std::span<const std::byte> bytes, Bytes limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
    return to_failure(msg::gzip_damaged{});
  }
  const std::unique_ptr<z_stream, EndInflate> ended(&stream);
  std::string out;
  std::span<const std::byte> rest = bytes;
  while (true) {
    if (stream.avail_in == 0) {
      const std::size_t some =
          std::min<std::size_t>(rest.size(), std::numeric_limits<std::int32_t>::max());
      stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest.data()));
      stream.avail_in = static_cast<uInt>(some);
      rest = rest.subspan(some);
    }
    const std::size_t filled = out.size();
    out.resize(filled + kRoomStep);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(kRoomStep);
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.resize(filled + kRoomStep - stream.avail_out);
    if (static_cast<std::int64_t>(out.size()) > limit.value) {
      return to_failure(msg::gzip_too_large{.limit = in_bytes(static_cast<double>(limit.value))});
    }
    if (status == Z_STREAM_END && stream.avail_in == 0 && rest.empty()) {
      return out;
    }
    if (status == Z_STREAM_END) {
      inflateReset(&stream);  // another member follows
    } else if (status != Z_OK || (stream.avail_in == 0 && rest.empty() && stream.avail_out > 0)) {
      return to_failure(msg::gzip_damaged{});
    }
  }
}

}  // namespace qanat
