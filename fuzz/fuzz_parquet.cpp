// Any bytes as a Parquet file: tables come out, or a reason; nothing is read beyond the bytes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "archive/parquet_file.h"
#include "base/check.h"

namespace {

// Footers say how much a page takes; small inputs that say a lot would only cost time.
constexpr std::int64_t kMaxUnpacked = 1 << 24;

void read_pages(const qanat::RandomAccess& file,
                const qanat::ParquetFooter& footer,
                std::size_t column) {
  const auto pages = qanat::read_parquet_pages(file, footer, column);
  if (!pages) {
    return;
  }
  std::int64_t unpacked = 0;
  std::optional<qanat::PageCells> dictionary;
  for (const qanat::ParquetPage& page : pages.value()) {
    unpacked += page.header.unpacked + page.header.values;
    if (unpacked > kMaxUnpacked) {
      return;
    }
    auto cells = qanat::read_bytes_page(
        file, footer.columns[column], page, dictionary ? &*dictionary : nullptr);
    if (!cells) {
      continue;
    }
    for (const auto& cell : cells.value().cells) {
      const std::size_t size = cells.value().bytes->size();
      QANAT_CHECK(!cell || (cell->offset <= size && cell->size <= size - cell->offset));
    }
    if (page.header.kind == qanat::PageHeader::Kind::dictionary) {
      dictionary = std::move(cells).value();
    }
  }
  const auto texts = qanat::read_text_column(file, footer, column);
  QANAT_CHECK(texts.ok() || !texts.failure().what.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const qanat::MemoryAccess file(std::as_bytes(std::span(data, size)));
  const auto footer = qanat::read_parquet_footer(file);
  if (!footer) {
    return 0;
  }
  for (std::size_t column = 0; column < footer.value().columns.size() && column < 8; ++column) {
    read_pages(file, footer.value(), column);
  }
  return 0;
}
