#include "archive/tar_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::int64_t kBlock = 512;
// What a name in a block of its own may take, and a pax header; more is damage.
constexpr std::int64_t kMaxExtra = 1 << 20;

using Block = std::array<std::byte, kBlock>;

std::string_view text_at(const Block& block, std::size_t begin, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(block.data()) + begin, size);
  return all.substr(0, all.find('\0'));
}

// Octal digits with blanks around them, or a binary number of GNU's. Nothing: neither.
std::optional<std::int64_t> number_at(const Block& block, std::size_t begin, std::size_t size) {
  const auto first = std::to_integer<unsigned>(block.at(begin));
  if ((first & 0x80U) != 0) {
    std::uint64_t value = first & 0x7FU;
    for (std::size_t i = begin + 1; i < begin + size; ++i) {
      if (value >> 55U != 0) {
        return std::nullopt;
      }
      value = value << 8U | std::to_integer<unsigned>(block.at(i));
    }
    return static_cast<std::int64_t>(value);
  }
  std::string_view digits = text_at(block, begin, size);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  digits = digits.substr(0, digits.find_last_not_of(' ') + 1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  const bool whole = end == digits.data() + digits.size();
  return error == std::errc() && whole && value >= 0 ? std::optional(value)
         : digits.empty()                            ? std::optional<std::int64_t>(0)
                                                     : std::nullopt;
}

// Old programs added signed characters.
bool has_checksum(const Block& block) {
  constexpr std::size_t kAt = 148;
  constexpr std::size_t kSize = 8;
  std::int64_t plain = 0;
  std::int64_t with_signs = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool is_sum = i >= kAt && i < kAt + kSize;
    const auto byte =
        is_sum ? static_cast<unsigned char>(' ') : std::to_integer<unsigned char>(block.at(i));
    plain += byte;
    with_signs += static_cast<signed char>(byte);
  }
  const std::optional<std::int64_t> sum = number_at(block, kAt, kSize);
  return sum && (*sum == plain || *sum == with_signs);
}

bool is_empty(const Block& block) {
  return std::ranges::all_of(block, [](std::byte byte) { return byte == std::byte{0}; });
}

std::optional<std::string_view> compression_of(const Block& block) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kMarks = {
      {{"\x1F\x8B", "gzip"},
       {"BZh", "bzip2"},
       {"\xFD"
        "7zXZ",
        "xz"},
       {"\x28\xB5\x2F\xFD", "zstd"}}};
  const std::string_view start(reinterpret_cast<const char*>(block.data()), 8);
  const auto* const found =
      std::ranges::find_if(kMarks, [&](const auto& mark) { return start.starts_with(mark.first); });
  return found == kMarks.end() ? std::nullopt : std::optional(found->second);
}

// `length key=value\n`, one after the other.
struct PaxFields {
  std::string path;
  std::optional<std::int64_t> size;
  bool is_sparse = false;
};

std::optional<PaxFields> parse_pax(std::string_view text) {
  PaxFields fields;
  while (!text.empty() && text.front() != '\0') {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || length <= digits + 1 || length > text.size() ||
        text[digits] != ' ' || text[length - 1] != '\n') {
      return std::nullopt;
    }
    const std::string_view pair = text.substr(digits + 1, length - digits - 2);
    const std::size_t equals = pair.find('=');
    const std::string_view key = pair.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    if (key == "path") {
      fields.path = value;
    } else if (key == "size") {
      std::int64_t size = 0;
      const auto [last, wrong] = std::from_chars(value.data(), value.data() + value.size(), size);
      if (wrong != std::errc() || last != value.data() + value.size() || size < 0) {
        return std::nullopt;
      }
      fields.size = size;
    }
    fields.is_sparse = fields.is_sparse || key.starts_with("GNU.sparse");
    text.remove_prefix(length);
  }
  return fields;
}

// Fixture: one pass over the headers.
class TarPass {
 public:
  explicit TarPass(const RandomAccess& file) : file_(file), size_(file.size().value) {}

  Result<TarIndex> run();

 private:
  Result<Block> read_block() const;
  Result<std::string> read_content(std::int64_t size) const;
  // False: the index ends here, with or without trouble.
  Result<bool> take(const Block& block);
  Result<bool> take_extra(char type, std::int64_t size);
  bool stop(Message why) {
    index_.trouble = std::move(why);
    return false;
  }
  std::string name_of(const Block& block) const;
  MessageArg here() const { return ungrouped(at_); }

  const RandomAccess& file_;
  const std::int64_t size_;
  std::int64_t at_ = 0;
  std::string long_name_;  // of the next member
  PaxFields pax_;          // of the next member
  TarIndex index_;
};

Result<Block> TarPass::read_block() const {
  Block block;
  const Result<Done> done = file_.read(Bytes{at_}, block);
  return done ? Result<Block>(block) : done.failure();
}

Result<std::string> TarPass::read_content(std::int64_t size) const {
  std::string content(static_cast<std::size_t>(size), '\0');
  const Result<Done> done =
      file_.read(Bytes{at_ + kBlock}, std::as_writable_bytes(std::span(content)));
  return done ? Result<std::string>(std::move(content)) : done.failure();
}

std::string TarPass::name_of(const Block& block) const {
  if (!pax_.path.empty()) {
    return pax_.path;
  }
  if (!long_name_.empty()) {
    return long_name_;
  }
  const std::string_view name = text_at(block, 0, 100);
  const bool is_ustar = std::memcmp(block.data() + 257, "ustar\0", 6) == 0;
  const std::string_view prefix = is_ustar ? text_at(block, 345, 155) : std::string_view();
  return prefix.empty() ? std::string(name) : std::string(prefix) + "/" + std::string(name);
}

Result<bool> TarPass::take_extra(char type, std::int64_t size) {
  if (size > kMaxExtra) {
    return stop(msg::tar_damaged{.offset = here()});
  }
  const Result<std::string> content = read_content(size);
  if (!content) {
    return content.failure();
  }
  if (type == 'L') {
    long_name_ = content.value().substr(0, content.value().find('\0'));
  } else if (type == 'x') {
    std::optional<PaxFields> fields = parse_pax(content.value());
    if (!fields) {
      return stop(msg::tar_damaged{.offset = here()});
    }
    pax_ = *std::move(fields);
  }
  return true;
}

Result<bool> TarPass::take(const Block& block) {
  const std::optional<std::int64_t> written = number_at(block, 124, 12);
  if (!has_checksum(block) || !written) {
    return stop(msg::tar_damaged{.offset = here()});
  }
  const char type = std::to_integer<char>(block.at(156));
  const bool is_extra = type == 'L' || type == 'K' || type == 'x' || type == 'g';
  const std::int64_t size = is_extra ? *written : pax_.size.value_or(*written);
  if (size > size_ - at_ - kBlock) {
    return stop(msg::tar_cut{.offset = here(), .name = name_of(block)});
  }
  if (is_extra) {
    const Result<bool> taken = take_extra(type, size);
    if (!taken || !taken.value()) {
      return taken;
    }
  } else {
    const bool is_file = (type == '0' || type == '\0' || type == '7') && !pax_.is_sparse;
    std::string name = name_of(block);
    if (is_file && !name.ends_with('/')) {
      index_.members.push_back(
          {.name = std::move(name), .offset = Bytes{at_ + kBlock}, .size = Bytes{size}});
    }
    long_name_.clear();
    pax_ = {};
  }
  at_ += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  return true;
}

Result<TarIndex> TarPass::run() {
  while (at_ < size_) {
    if (size_ - at_ < kBlock) {
      stop(msg::tar_damaged{.offset = here()});
      break;
    }
    const Result<Block> block = read_block();
    if (!block) {
      return block.failure();
    }
    if (at_ == 0) {
      if (const std::optional<std::string_view> packed = compression_of(block.value())) {
        return to_failure(msg::tar_compressed{.compression = *packed});
      }
    }
    if (is_empty(block.value())) {
      break;
    }
    const Result<bool> more = take(block.value());
    if (!more) {
      return more.failure();
    }
    if (!more.value()) {
      break;
    }
  }
  if (index_.members.empty() && index_.trouble) {
    return to_failure(msg::tar_none{});
  }
  return std::move(index_);
}

}  // namespace

Result<TarIndex> read_tar_index(const RandomAccess& file) {
  return TarPass(file).run();
}

}  // namespace qanat
