// Reads Thrift's compact protocol from arbitrary bytes: what Parquet's footer and page headers are.
//
//   ThriftReader reader(bytes);
//   reader.for_each_field([&](int id, ThriftType type) { ... });   // what is not read is skipped
//
// The first thing that is wrong ends it: every later answer is empty and failed() is true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace qanat {

enum class ThriftType : std::uint8_t {
  stop = 0,
  yes = 1,
  no = 2,
  byte = 3,
  i16 = 4,
  i32 = 5,
  i64 = 6,
  number = 7,
  binary = 8,
  list = 9,
  set = 10,
  map = 11,
  structure = 12,
};

// Not thread-safe. `bytes` outlive it.
class ThriftReader {
 public:
  explicit ThriftReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // The fields of a struct. `see` reads the value of a field or leaves it alone.
  void for_each_field(const std::function<void(int, ThriftType)>& see);
  // The elements of a list, whose type is `type`.
  void for_each_element(ThriftType type, const std::function<void()>& see);

  std::int64_t integer();
  std::string_view binary();

  bool failed() const { return failed_; }
  // Bytes read so far.
  std::size_t used() const { return at_; }

 private:
  std::uint8_t next();
  std::uint64_t variable();
  void skip(ThriftType type);
  void fail() { failed_ = true; }

  static constexpr int kMaxDepth = 32;

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace qanat
