#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "archive/parquet_file.h"
#include "archive/thrift_reader.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::int64_t kMaxPage = std::int64_t{1} << 30;
constexpr std::int64_t kMaxPageValues = 1 << 24;
constexpr std::int64_t kFirstHeader = 512;
constexpr std::int64_t kMaxHeader = 1 << 22;  // statistics may be in it

enum Encoding : std::int32_t {
  plain_values = 0,
  plain_dictionary = 2,
  delta_numbers = 5,
  delta_lengths = 6,
  dictionary_indices = 8,
};

Failure damaged_page() {
  return to_failure(msg::parquet_damaged{});
}

std::string encoding_name(std::int32_t encoding) {
  constexpr std::array<std::string_view, 10> kNames = {"PLAIN",
                                                       "",
                                                       "PLAIN_DICTIONARY",
                                                       "RLE",
                                                       "BIT_PACKED",
                                                       "DELTA_BINARY_PACKED",
                                                       "DELTA_LENGTH_BYTE_ARRAY",
                                                       "DELTA_BYTE_ARRAY",
                                                       "RLE_DICTIONARY",
                                                       "BYTE_STREAM_SPLIT"};
  const bool is_known = encoding >= 0 && static_cast<std::size_t>(encoding) < kNames.size();
  return fmt::format("encoding {}",
                     is_known ? kNames.at(static_cast<std::size_t>(encoding)) : "unknown");
}

PageHeader parse_page_header(ThriftReader& reader) {
  PageHeader header;
  std::int64_t kind = -1;
  reader.for_each_field([&](int id, ThriftType) {
    if (id == 1) {
      kind = reader.integer();
    } else if (id == 2) {
      header.unpacked = reader.integer();
    } else if (id == 3) {
      header.packed = reader.integer();
    } else if (id == 4) {
      header.checksum = static_cast<std::uint32_t>(reader.integer());
    } else if (id == 5 || id == 7) {
      reader.for_each_field([&](int field, ThriftType) {
        if (field == 1) {
          header.values = reader.integer();
        } else if (field == 2) {
          header.encoding = static_cast<std::int32_t>(reader.integer());
        }
      });
    } else if (id == 8) {
      reader.for_each_field([&](int field, ThriftType type) {
        if (field == 1) {
          header.values = reader.integer();
        } else if (field == 4) {
          header.encoding = static_cast<std::int32_t>(reader.integer());
        } else if (field == 5) {
          header.definition_bytes = reader.integer();
        } else if (field == 6) {
          header.repetition_bytes = reader.integer();
        } else if (field == 7) {
          header.is_packed = type == ThriftType::yes;
        }
      });
    }
  });
  header.kind = kind == 0   ? PageHeader::Kind::data
                : kind == 2 ? PageHeader::Kind::dictionary
                : kind == 3 ? PageHeader::Kind::data_v2
                            : PageHeader::Kind::other;
  return header;
}

bool is_possible(const PageHeader& header, std::int64_t left) {
  const std::int64_t levels = header.definition_bytes + header.repetition_bytes;
  return header.packed >= 0 && header.packed <= left && header.unpacked >= 0 &&
         header.unpacked <= kMaxPage && header.values >= 0 && header.values <= kMaxPageValues &&
         header.definition_bytes >= 0 && header.repetition_bytes >= 0 && levels <= header.packed &&
         levels <= header.unpacked;
}

struct ReadHeader {
  PageHeader header;
  std::int64_t size = 0;
};

// Reads more where statistics make it long.
Result<ReadHeader> read_page_header(const RandomAccess& file, std::int64_t at, std::int64_t left) {
  for (std::int64_t room = kFirstHeader;; room *= 8) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(room, left)));
    if (const Result<Done> read = file.read(Bytes{at}, bytes); !read) {
      return read.failure();
    }
    ThriftReader reader(bytes);
    const PageHeader header = parse_page_header(reader);
    const auto used = static_cast<std::int64_t>(reader.used());
    if (!reader.failed()) {
      return is_possible(header, left - used) ? Result<ReadHeader>(ReadHeader{header, used})
                                              : damaged_page();
    }
    if (room >= left || room > kMaxHeader) {
      return damaged_page();
    }
  }
}

Result<Done> add_pages(const RandomAccess& file,
                       const ParquetChunk& chunk,
                       std::int64_t rows,
                       std::vector<ParquetPage>& pages,
                       std::int64_t& first_row) {
  if (!can_unpack(chunk.codec)) {
    return to_failure(msg::parquet_refused{.what = to_string(chunk.codec)});
  }
  const std::int64_t end = chunk.offset.value + chunk.size.value;
  const std::int64_t last_row = first_row + rows;
  std::optional<std::size_t> dictionary;
  for (std::int64_t at = chunk.offset.value; at < end && first_row < last_row;) {
    const Result<ReadHeader> read = read_page_header(file, at, end - at);
    if (!read) {
      return read.failure();
    }
    const PageHeader& header = read.value().header;
    at += read.value().size;
    const bool is_data =
        header.kind == PageHeader::Kind::data || header.kind == PageHeader::Kind::data_v2;
    if (is_data || header.kind == PageHeader::Kind::dictionary) {
      pages.push_back({.header = header,
                       .codec = chunk.codec,
                       .offset = Bytes{at},
                       .first_row = first_row,
                       .dictionary = is_data ? dictionary : std::nullopt});
    }
    if (header.kind == PageHeader::Kind::dictionary) {
      dictionary = pages.size() - 1;
    }
    first_row += is_data ? header.values : 0;
    at += header.packed;
  }
  return first_row == last_row ? Result<Done>(Done{}) : damaged_page();
}

// A page with its levels apart.
struct UnpackedPage {
  std::vector<std::byte> bytes;  // levels of v1 stand first
  std::size_t values_at = 0;
  std::vector<std::uint32_t> definitions;  // one for each row; none where no row can be null
};

int bits_of(int level) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(level)));
}

Result<std::vector<std::byte>> read_packed(const RandomAccess& file, const ParquetPage& page) {
  std::vector<std::byte> packed(static_cast<std::size_t>(page.header.packed));
  if (const Result<Done> read = file.read(page.offset, packed); !read) {
    return read.failure();
  }
  const auto* const begin = reinterpret_cast<const Bytef*>(packed.data());
  if (page.header.checksum &&
      crc32_z(crc32(0, nullptr, 0), begin, packed.size()) != *page.header.checksum) {
    return to_failure(msg::parquet_checksum{});
  }
  return packed;
}

Result<UnpackedPage> unpack_v2(const ParquetColumn& column,
                               const ParquetPage& page,
                               std::vector<std::byte> packed) {
  const PageHeader& header = page.header;
  const auto levels = static_cast<std::size_t>(header.definition_bytes + header.repetition_bytes);
  const PageBytes all(packed);
  UnpackedPage out;
  if (column.max_definition > 0) {
    auto definitions = read_hybrid(all.subspan(static_cast<std::size_t>(header.repetition_bytes),
                                               static_cast<std::size_t>(header.definition_bytes)),
                                   bits_of(column.max_definition),
                                   static_cast<std::size_t>(header.values));
    if (!definitions) {
      return damaged_page();
    }
    out.definitions = *std::move(definitions);
  }
  const PageCodec codec = header.is_packed ? page.codec : PageCodec::none;
  Result<std::vector<std::byte>> values =
      unpack_page(codec, all.subspan(levels), static_cast<std::size_t>(header.unpacked) - levels);
  if (!values) {
    return values.failure();
  }
  out.bytes = std::move(values).value();
  return out;
}

Result<UnpackedPage> unpack_v1(const ParquetColumn& column,
                               const ParquetPage& page,
                               std::vector<std::byte> packed) {
  UnpackedPage out;
  const auto size = static_cast<std::size_t>(page.header.unpacked);
  if (page.codec == PageCodec::none && packed.size() == size) {
    out.bytes = std::move(packed);
  } else {
    Result<std::vector<std::byte>> bytes = unpack_page(page.codec, packed, size);
    if (!bytes) {
      return bytes.failure();
    }
    out.bytes = std::move(bytes).value();
  }
  if (page.header.kind == PageHeader::Kind::dictionary || column.max_definition == 0) {
    return out;
  }
  const PageBytes all(out.bytes);
  const std::size_t length = all.size() < 4 ? all.size() : little_32(all);
  if (all.size() < 4 || length > all.size() - 4) {
    return damaged_page();
  }
  auto definitions = read_hybrid(all.subspan(4, length),
                                 bits_of(column.max_definition),
                                 static_cast<std::size_t>(page.header.values));
  if (!definitions) {
    return damaged_page();
  }
  out.definitions = *std::move(definitions);
  out.values_at = 4 + length;
  return out;
}

Result<UnpackedPage> unpack(const RandomAccess& file,
                            const ParquetColumn& column,
                            const ParquetPage& page) {
  Result<std::vector<std::byte>> packed = read_packed(file, page);
  if (!packed) {
    return packed.failure();
  }
  return page.header.kind == PageHeader::Kind::data_v2
             ? unpack_v2(column, page, std::move(packed).value())
             : unpack_v1(column, page, std::move(packed).value());
}

// Numbers of the dictionary's values, for the rows that are not null.
std::optional<std::vector<std::uint32_t>> read_indices(PageBytes bytes, std::size_t count) {
  if (bytes.empty()) {
    return count == 0 ? std::optional(std::vector<std::uint32_t>()) : std::nullopt;
  }
  return read_hybrid(bytes.subspan(1), std::to_integer<int>(bytes.front()), count);
}

std::size_t present_rows(const UnpackedPage& page, const ParquetColumn& column, std::size_t all) {
  return page.definitions.empty()
             ? all
             : static_cast<std::size_t>(std::ranges::count(
                   page.definitions, static_cast<std::uint32_t>(column.max_definition)));
}

// Ranges of the values that are there, in order.
Result<std::vector<CellRange>> ranges_of(PageBytes bytes,
                                         std::size_t count,
                                         const ParquetPage& page,
                                         const PageCells* dictionary) {
  const std::int32_t encoding = page.header.encoding;
  std::optional<std::vector<CellRange>> ranges;
  const bool is_dictionary_page = page.header.kind == PageHeader::Kind::dictionary;
  if (encoding == plain_values || (is_dictionary_page && encoding == plain_dictionary)) {
    ranges = read_plain_ranges(bytes, count);
  } else if (encoding == delta_lengths) {
    ranges = read_delta_length_ranges(bytes, count);
  } else if (encoding == plain_dictionary || encoding == dictionary_indices) {
    const auto indices = read_indices(bytes, count);
    if (!indices || dictionary == nullptr) {
      return damaged_page();
    }
    ranges.emplace();
    for (const std::uint32_t index : *indices) {
      if (index >= dictionary->cells.size()) {
        return damaged_page();
      }
      ranges->push_back(*dictionary->cells[index]);
    }
  } else {
    return to_failure(msg::parquet_refused{.what = encoding_name(encoding)});
  }
  return ranges ? Result<std::vector<CellRange>>(*std::move(ranges)) : damaged_page();
}

bool uses_dictionary(const ParquetPage& page) {
  return page.header.kind != PageHeader::Kind::dictionary &&
         (page.header.encoding == plain_dictionary || page.header.encoding == dictionary_indices);
}

// Integers and fractions, eight bytes each, as text.
Result<std::vector<std::string>> read_numbers(PageBytes bytes,
                                              std::size_t count,
                                              const ParquetColumn& column,
                                              std::int32_t encoding) {
  std::vector<std::string> numbers;
  const bool is_wide = column.type == ParquetType::int64 || column.type == ParquetType::float64;
  if (encoding == delta_numbers) {
    const auto values = read_delta(bytes, count);
    if (!values || values->values.size() != count) {
      return damaged_page();
    }
    for (const std::int64_t value : values->values) {
      numbers.push_back(fmt::format("{}", is_wide ? value : static_cast<std::int32_t>(value)));
    }
    return numbers;
  }
  const std::size_t width = is_wide ? 8 : 4;
  if (encoding != plain_values) {
    return to_failure(msg::parquet_refused{.what = encoding_name(encoding)});
  }
  if (bytes.size() / width < count) {
    return damaged_page();
  }
  for (std::size_t i = 0; i < count; ++i) {
    const PageBytes at = bytes.subspan(i * width);
    switch (column.type) {
      case ParquetType::int32:
        numbers.push_back(fmt::format("{}", static_cast<std::int32_t>(little_32(at))));
        break;
      case ParquetType::int64:
        numbers.push_back(fmt::format("{}", static_cast<std::int64_t>(little_64(at))));
        break;
      case ParquetType::float32:
        numbers.push_back(fmt::format("{}", std::bit_cast<float>(little_32(at))));
        break;
      default:
        numbers.push_back(fmt::format("{}", std::bit_cast<double>(little_64(at))));
    }
  }
  return numbers;
}

// The values of a page that are there, as text. `dictionary` are those of its dictionary.
Result<std::vector<std::string>> read_values(const UnpackedPage& unpacked,
                                             std::size_t count,
                                             const ParquetColumn& column,
                                             const ParquetPage& page,
                                             const std::vector<std::string>& dictionary) {
  const PageBytes bytes = PageBytes(unpacked.bytes).subspan(unpacked.values_at);
  std::vector<std::string> values;
  if (uses_dictionary(page)) {
    const auto indices = read_indices(bytes, count);
    if (!indices || std::ranges::any_of(*indices, [&](auto i) { return i >= dictionary.size(); })) {
      return damaged_page();
    }
    for (const std::uint32_t index : *indices) {
      values.push_back(dictionary[index]);
    }
    return values;
  }
  const std::int32_t encoding =
      page.header.encoding == plain_dictionary ? plain_values : page.header.encoding;
  if (column.type != ParquetType::bytes) {
    return read_numbers(bytes, count, column, encoding);
  }
  const Result<std::vector<CellRange>> ranges = ranges_of(bytes, count, page, nullptr);
  if (!ranges) {
    return ranges.failure();
  }
  for (const CellRange& range : ranges.value()) {
    values.emplace_back(reinterpret_cast<const char*>(bytes.data()) + range.offset, range.size);
  }
  return values;
}

Result<Done> check_column(const ParquetColumn& column) {
  const bool is_read = column.type == ParquetType::bytes || column.type == ParquetType::int32 ||
                       column.type == ParquetType::int64 || column.type == ParquetType::float32 ||
                       column.type == ParquetType::float64;
  if (column.is_repeated || !is_read) {
    return to_failure(msg::parquet_refused{
        .what = fmt::format("column {} ({})", column.name, column.is_repeated ? "list" : "type")});
  }
  return Done{};
}

}  // namespace

Result<std::vector<ParquetPage>> read_parquet_pages(const RandomAccess& file,
                                                    const ParquetFooter& footer,
                                                    std::size_t column) {
  if (const Result<Done> readable = check_column(footer.columns.at(column)); !readable) {
    return readable.failure();
  }
  std::vector<ParquetPage> pages;
  std::int64_t first_row = 0;
  for (const ParquetGroup& group : footer.groups) {
    const Result<Done> added =
        add_pages(file, group.chunks.at(column), group.rows, pages, first_row);
    if (!added) {
      return added.failure();
    }
  }
  return pages;
}

Result<PageCells> read_bytes_page(const RandomAccess& file,
                                  const ParquetColumn& column,
                                  const ParquetPage& page,
                                  const PageCells* dictionary) {
  Result<UnpackedPage> read = unpack(file, column, page);
  if (!read) {
    return read.failure();
  }
  UnpackedPage& unpacked = read.value();
  const auto rows = static_cast<std::size_t>(page.header.values);
  const std::size_t present = present_rows(unpacked, column, rows);
  const Result<std::vector<CellRange>> ranges =
      ranges_of(PageBytes(unpacked.bytes).subspan(unpacked.values_at), present, page, dictionary);
  if (!ranges) {
    return ranges.failure();
  }
  const bool is_elsewhere = uses_dictionary(page);
  PageCells cells;
  for (std::size_t row = 0, value = 0; row < rows; ++row) {
    const bool is_there =
        unpacked.definitions.empty() ||
        unpacked.definitions[row] == static_cast<std::uint32_t>(column.max_definition);
    std::optional<CellRange>& cell = cells.cells.emplace_back();
    if (is_there) {
      cell = ranges.value()[value++];
      cell->offset += is_elsewhere ? 0 : static_cast<std::uint32_t>(unpacked.values_at);
    }
  }
  cells.bytes = is_elsewhere
                    ? dictionary->bytes
                    : std::make_shared<const std::vector<std::byte>>(std::move(unpacked.bytes));
  return cells;
}

Result<TextCells> read_text_column(const RandomAccess& file,
                                   const ParquetFooter& footer,
                                   std::size_t column) {
  const Result<std::vector<ParquetPage>> pages = read_parquet_pages(file, footer, column);
  if (!pages) {
    return pages.failure();
  }
  const ParquetColumn& described = footer.columns[column];
  TextCells cells;
  std::vector<std::string> dictionary;
  for (const ParquetPage& page : pages.value()) {
    const Result<UnpackedPage> unpacked = unpack(file, described, page);
    if (!unpacked) {
      return unpacked.failure();
    }
    const auto rows = static_cast<std::size_t>(page.header.values);
    Result<std::vector<std::string>> values =
        read_values(unpacked.value(),
                    present_rows(unpacked.value(), described, rows),
                    described,
                    page,
                    dictionary);
    if (!values) {
      return values.failure();
    }
    if (page.header.kind == PageHeader::Kind::dictionary) {
      dictionary = std::move(values).value();
      continue;
    }
    const auto& definitions = unpacked.value().definitions;
    for (std::size_t row = 0, value = 0; row < rows; ++row) {
      const bool is_there =
          definitions.empty() ||
          definitions[row] == static_cast<std::uint32_t>(described.max_definition);
      cells.push_back(is_there ? std::optional(std::move(values.value()[value++])) : std::nullopt);
    }
  }
  return cells;
}

}  // namespace qanat
