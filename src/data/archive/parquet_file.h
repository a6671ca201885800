// Tables in Parquet files, as Hugging Face `datasets` and pyarrow write them: flat columns and
// structs of them, read by page. Anything else is refused by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/page_codec.h"
#include "archive/parquet_values.h"
#include "archive/random_access.h"

namespace qanat {

enum class ParquetType : std::int32_t {
  boolean = 0,
  int32 = 1,
  int64 = 2,
  int96 = 3,
  float32 = 4,
  float64 = 5,
  bytes = 6,
  fixed_bytes = 7,
};

// A leaf of the schema.
struct ParquetColumn {
  std::string name;  // "audio.bytes"
  ParquetType type = ParquetType::bytes;
  int max_definition = 0;
  bool is_repeated = false;  // in a list
  bool is_text = false;      // UTF-8
};

// One column in one row group.
struct ParquetChunk {
  PageCodec codec = PageCodec::none;
  Bytes offset;  // of the first page, the dictionary's if there is one
  Bytes size;    // of all of them
  std::int64_t values = 0;
  std::optional<std::int64_t> nulls;
};

struct ParquetGroup {
  std::int64_t rows = 0;
  std::vector<ParquetChunk> chunks;  // by column
};

struct ParquetFooter {
  std::vector<ParquetColumn> columns;
  std::vector<ParquetGroup> groups;
  std::int64_t rows = 0;

  // Its number; nothing: there is none of that name.
  std::optional<std::size_t> column(std::string_view name) const;
  std::vector<std::string> names() const;
};

// Failure: no Parquet file, encrypted, cut off, or what it says of itself cannot be.
Result<ParquetFooter> read_parquet_footer(const RandomAccess& file);

// What a page says before its bytes.
struct PageHeader {
  enum class Kind { data, data_v2, dictionary, other };
  Kind kind = Kind::other;
  std::int32_t encoding = 0;
  std::int64_t values = 0;
  std::int64_t unpacked = 0;
  std::int64_t packed = 0;
  std::int64_t definition_bytes = 0;  // v2: before the values, never packed
  std::int64_t repetition_bytes = 0;  // the same
  bool is_packed = true;              // v2: whether the values are
  std::optional<std::uint32_t> checksum;
};

// Where one page lies, and which rows are in it.
struct ParquetPage {
  PageHeader header;
  PageCodec codec = PageCodec::none;
  Bytes offset;  // behind the header
  std::int64_t first_row = 0;
  std::optional<std::size_t> dictionary;  // which of the pages
};

// All pages of a column, in the order of the file; reads their headers only.
Result<std::vector<ParquetPage>> read_parquet_pages(const RandomAccess& file,
                                                    const ParquetFooter& footer,
                                                    std::size_t column);

// A page of bytes, unpacked. The values lie in `bytes`, or in those of its dictionary.
struct PageCells {
  std::shared_ptr<const std::vector<std::byte>> bytes;  // shared by the clips in it
  std::vector<std::optional<CellRange>> cells;          // one for each row; nothing: null
};

// The dictionary of a page that has one. `dictionary` may be null for one that has none.
Result<PageCells> read_bytes_page(const RandomAccess& file,
                                  const ParquetColumn& column,
                                  const ParquetPage& page,
                                  const PageCells* dictionary);

// A whole column as text: numbers as they are written, null as nothing.
using TextCells = std::vector<std::optional<std::string>>;
Result<TextCells> read_text_column(const RandomAccess& file,
                                   const ParquetFooter& footer,
                                   std::size_t column);

}  // namespace qanat
