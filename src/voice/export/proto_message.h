// The wire format of protocol buffers, as far as it is written: numbers, texts and messages within
// messages. What is large is moved in, not copied, and copied nowhere on its way to the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

// GraphValue: one message that grows field by field. Not thread-safe.
class ProtoMessage {
 public:
  void number(int field, std::int64_t value);    // negative ones take ten bytes
  void real(int field, float value);             // four bytes
  void text(int field, std::string_view value);  // also bytes
  void block(int field, std::string bytes);      // the same, of many bytes
  void message(int field, ProtoMessage value);

  std::size_t size() const { return size_; }
  // One after the other they are the message.
  const std::vector<std::string>& parts() const { return parts_; }
  std::string joined() const;

 private:
  void append(std::string_view bytes);
  void varint(std::uint64_t value);
  void begin(int field, int kind);

  std::vector<std::string> parts_;
  std::size_t size_ = 0;
};

}  // namespace qanat
