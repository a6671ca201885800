#include "archive/thrift_reader.h"

namespace qanat {

std::uint8_t ThriftReader::next() {
  if (failed_ || at_ >= bytes_.size()) {
    fail();
    return 0;
  }
  return std::to_integer<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ThriftReader::variable() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = next();
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) {
      return failed_ ? 0 : value;
    }
  }
  fail();
  return 0;
}

std::int64_t ThriftReader::integer() {
  const std::uint64_t zigzag = variable();
  return static_cast<std::int64_t>(zigzag >> 1U) ^ -static_cast<std::int64_t>(zigzag & 1U);
}

std::string_view ThriftReader::binary() {
  const std::uint64_t size = variable();
  if (failed_ || size > bytes_.size() - at_) {
    fail();
    return {};
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_,
                              static_cast<std::size_t>(size));
  at_ += static_cast<std::size_t>(size);
  return text;
}

void ThriftReader::for_each_field(const std::function<void(int, ThriftType)>& see) {
  if (++depth_ > kMaxDepth) {
    fail();
  }
  int id = 0;
  while (!failed_) {
    const std::uint8_t head = next();
    const auto type = static_cast<ThriftType>(head & 0x0FU);
    if (failed_ || type == ThriftType::stop) {
      break;
    }
    const int delta = head >> 4U;
    id = delta == 0 ? static_cast<int>(static_cast<std::int16_t>(integer())) : id + delta;
    const std::size_t before = at_;
    see(id, type);
    if (at_ == before) {
      skip(type);
    }
  }
  --depth_;
}

void ThriftReader::for_each_element(ThriftType type, const std::function<void()>& see) {
  const std::uint8_t head = next();
  const std::uint64_t size = (head >> 4U) == 15 ? variable() : head >> 4U;
  const bool is_same = static_cast<ThriftType>(head & 0x0FU) == type;
  if (!is_same || size > bytes_.size() - at_ || ++depth_ > kMaxDepth) {  // one byte each, at least
    fail();
    return;
  }
  for (std::uint64_t i = 0; i < size && !failed_; ++i) {
    const std::size_t before = at_;
    see();
    if (at_ == before) {
      skip(type);
    }
  }
  --depth_;
}

void ThriftReader::skip(ThriftType type) {
  switch (type) {
    case ThriftType::yes:
    case ThriftType::no:
      break;
    case ThriftType::byte:
      next();
      break;
    case ThriftType::i16:
    case ThriftType::i32:
    case ThriftType::i64:
      variable();
      break;
    case ThriftType::number:
      for (int i = 0; i < 8; ++i) {
        next();
      }
      break;
    case ThriftType::binary:
      binary();
      break;
    case ThriftType::list:
    case ThriftType::set: {
      if (at_ >= bytes_.size()) {
        return fail();
      }
      const auto type_in = static_cast<ThriftType>(std::to_integer<unsigned>(bytes_[at_]) & 0x0FU);
      if (type_in == ThriftType::yes || type_in == ThriftType::no) {  // a byte each in lists
        return for_each_element(type_in, [this] { next(); });
      }
      for_each_element(type_in, [] {});
      break;
    }
    case ThriftType::structure:
      for_each_field([](int, ThriftType) {});
      break;
    case ThriftType::stop:
    case ThriftType::map:  // nothing of Parquet's
    default:
      fail();
  }
}

}  // namespace qanat
