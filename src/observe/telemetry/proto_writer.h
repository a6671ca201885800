// Protocol Buffers' wire format, as far as telemetry writes it. By hand: the messages are few and
// fixed, and a generated library would be a dependency larger than this file.
//
//   ProtoWriter event;
//   event.put_double(1, wall_time).put_varint(2, step);
//   file.write(event.bytes());
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace qanat {

// A value: one message being written. Field numbers are below 2^29.
class ProtoWriter {
 public:
  ProtoWriter& put_varint(std::uint32_t field, std::uint64_t value) {
    put_tag(field, WireType::varint);
    put_raw_varint(value);
    return *this;
  }
  ProtoWriter& put_signed(std::uint32_t field, std::int64_t value) {  // int64, not sint64
    return put_varint(field, static_cast<std::uint64_t>(value));
  }
  ProtoWriter& put_fixed64(std::uint32_t field, std::uint64_t value) {
    put_tag(field, WireType::fixed64);
    put_little_endian(value, 8);
    return *this;
  }
  ProtoWriter& put_double(std::uint32_t field, double value) {
    return put_fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  ProtoWriter& put_float(std::uint32_t field, float value) {
    put_tag(field, WireType::fixed32);
    put_little_endian(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  // Strings, bytes and messages.
  ProtoWriter& put_bytes(std::uint32_t field, std::string_view bytes) {
    put_tag(field, WireType::bytes);
    put_raw_varint(bytes.size());
    bytes_.append(bytes);
    return *this;
  }
  ProtoWriter& put_message(std::uint32_t field, const ProtoWriter& message) {
    return put_bytes(field, message.bytes_);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  enum class WireType : std::uint32_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

  void put_tag(std::uint32_t field, WireType type) {
    put_raw_varint(field << 3U | static_cast<std::uint32_t>(type));
  }
  void put_raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) {
      bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
    }
    bytes_ += static_cast<char>(value);
  }
  void put_little_endian(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) {
      bytes_ += static_cast<char>(value >> (8U * static_cast<unsigned>(i)) & 0xFFU);
    }
  }

  std::string bytes_;
};

}  // namespace qanat
