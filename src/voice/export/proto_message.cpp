#include "export/proto_message.h"

#include <bit>
#include <utility>

namespace qanat {
namespace {

constexpr int kVarint = 0;
constexpr int kDelimited = 2;
constexpr int kFourBytes = 5;
constexpr std::size_t kSmall = 4096;  // what is longer becomes a part of its own

}  // namespace

void ProtoMessage::append(std::string_view bytes) {
  if (parts_.empty() || parts_.back().size() > kSmall) {
    parts_.emplace_back();
  }
  parts_.back() += bytes;
  size_ += bytes.size();
}

void ProtoMessage::varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  bytes += static_cast<char>(value);
  append(bytes);
}

void ProtoMessage::begin(int field, int kind) {
  varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(kind));
}

void ProtoMessage::number(int field, std::int64_t value) {
  begin(field, kVarint);
  varint(static_cast<std::uint64_t>(value));
}

void ProtoMessage::real(int field, float value) {
  begin(field, kFourBytes);
  const auto bits = std::bit_cast<std::uint32_t>(value);
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(bits >> shift);
  }
  append(bytes);
}

void ProtoMessage::text(int field, std::string_view value) {
  begin(field, kDelimited);
  varint(value.size());
  append(value);
}

void ProtoMessage::block(int field, std::string bytes) {
  begin(field, kDelimited);
  varint(bytes.size());
  size_ += bytes.size();
  if (!bytes.empty()) {
    parts_.push_back(std::move(bytes));
  }
}

void ProtoMessage::message(int field, ProtoMessage value) {
  begin(field, kDelimited);
  varint(value.size_);
  for (std::string& part : value.parts_) {
    if (part.size() > kSmall) {
      size_ += part.size();
      parts_.push_back(std::move(part));
    } else {
      append(part);
    }
  }
}

std::string ProtoMessage::joined() const {
  std::string all;
  all.reserve(size_);
  for (const std::string& part : parts_) {
    all += part;
  }
  return all;
}

}  // namespace qanat
