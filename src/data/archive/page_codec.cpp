#include "archive/page_codec.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxInt = std::numeric_limits<int>::max();

const char* chars(std::span<const std::byte> bytes) {
  return reinterpret_cast<const char*>(bytes.data());
}

bool unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> out) {
  std::size_t size = 0;
  return snappy::GetUncompressedLength(chars(packed), packed.size(), &size) && size == out.size() &&
         snappy::RawUncompress(chars(packed), packed.size(), reinterpret_cast<char*>(out.data()));
}

// A gzip or zlib stream.
bool unpack_deflate(std::span<const std::byte> packed, std::span<std::byte> out) {
  constexpr int kAnyFrame = 15 + 32;
  z_stream stream{};
  if (packed.size() > kMaxInt || out.size() > kMaxInt || inflateInit2(&stream, kAnyFrame) != Z_OK) {
    return false;
  }
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return status == Z_STREAM_END && stream.avail_out == 0;
}

bool unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> out) {
  return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
}

bool unpack_lz4(std::span<const std::byte> packed, std::span<std::byte> out) {
  if (packed.size() > kMaxInt || out.size() > kMaxInt) {
    return false;
  }
  const int got = LZ4_decompress_safe(chars(packed),
                                      reinterpret_cast<char*>(out.data()),
                                      static_cast<int>(packed.size()),
                                      static_cast<int>(out.size()));
  return got >= 0 && static_cast<std::size_t>(got) == out.size();
}

bool unpack(PageCodec codec, std::span<const std::byte> packed, std::span<std::byte> out) {
  switch (codec) {
    case PageCodec::none:
      std::ranges::copy(packed.first(std::min(packed.size(), out.size())), out.begin());
      return packed.size() == out.size();
    case PageCodec::snappy:
      return unpack_snappy(packed, out);
    case PageCodec::gzip:
      return unpack_deflate(packed, out);
    case PageCodec::zstd:
      return unpack_zstd(packed, out);
    case PageCodec::lz4:
      return unpack_lz4(packed, out);
    case PageCodec::lzo:
    case PageCodec::brotli:
    case PageCodec::lz4_hadoop:
      break;
  }
  return false;
}

}  // namespace

std::string_view to_string(PageCodec codec) {
  constexpr std::array<std::string_view, 8> kNames = {
      "none", "snappy", "gzip", "lzo", "brotli", "lz4 (hadoop)", "zstd", "lz4"};
  const auto number = static_cast<std::size_t>(codec);
  return number < kNames.size() ? kNames.at(number) : "an unknown codec";
}

bool can_unpack(PageCodec codec) {
  return codec == PageCodec::none || codec == PageCodec::snappy || codec == PageCodec::gzip ||
         codec == PageCodec::zstd || codec == PageCodec::lz4;
}

Result<std::vector<std::byte>> unpack_page(PageCodec codec,
                                           std::span<const std::byte> packed,
                                           std::size_t size) {
  std::vector<std::byte> out(size);
  if (size > 0 && !unpack(codec, packed, out)) {
    return to_failure(msg::parquet_page_damaged{.codec = to_string(codec)});
  }
  return out;
}

}  // namespace qanat
