#include "archive/parquet_file.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/parquet_container.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(QANAT_GOLDEN) / "parquet" / (name + ".parquet");
}

std::string bytes_of_file(const std::string& name) {
  std::ifstream file(golden(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sound(int row) {
  std::string text;
  for (int i = 0; i < row + 20; ++i) {
    text += "sound " + std::to_string(row) + " ";
  }
  return text;
}

// Everything that a reader of tables asks of a file; the first failure, else what is in it.
struct Table {
  TextCells texts;
  TextCells speakers;
  TextCells paths;
  std::vector<std::string> clips;
  std::string failure;
};

Table read_table(const RandomAccess& file) {
  Table table;
  const auto fail = [&](const Failure& failure) {
    table.failure = failure.what;
    return table;
  };
  const Result<ParquetFooter> footer = read_parquet_footer(file);
  if (!footer) {
    return fail(footer.failure());
  }
  for (const auto& [name, cells] : {std::pair("sentence", &table.texts),
                                    std::pair("speaker_id", &table.speakers),
                                    std::pair("audio.path", &table.paths)}) {
    const std::optional<std::size_t> column = footer.value().column(name);
    if (!column) {
      continue;
    }
    Result<TextCells> read = read_text_column(file, footer.value(), *column);
    if (!read) {
      return fail(read.failure());
    }
    *cells = std::move(read).value();
  }
  const std::size_t audio = footer.value().column("audio.bytes").value_or(0);
  const auto pages = read_parquet_pages(file, footer.value(), audio);
  if (!pages) {
    return fail(pages.failure());
  }
  std::optional<PageCells> dictionary;
  for (const ParquetPage& page : pages.value()) {
    Result<PageCells> cells = read_bytes_page(
        file, footer.value().columns[audio], page, dictionary ? &*dictionary : nullptr);
    if (!cells) {
      return fail(cells.failure());
    }
    if (page.header.kind == PageHeader::Kind::dictionary) {
      dictionary = std::move(cells).value();
      continue;
    }
    for (const std::optional<CellRange>& range : cells.value().cells) {
      const auto* const begin = reinterpret_cast<const char*>(cells.value().bytes->data());
      table.clips.push_back(range ? std::string(begin + range->offset, range->size) : "null");
    }
  }
  return table;
}

class ParquetVariantTest : public testing::TestWithParam<const char*> {};

TEST_P(ParquetVariantTest, HoldsTheRowsThatWereWritten) {
  const Result<FileAccess> file = FileAccess::open(golden(GetParam()));
  ASSERT_TRUE(file);

  const Table table = read_table(file.value());

  EXPECT_EQ(table.failure, "");
  EXPECT_THAT(table.texts,
              ElementsAre(Optional(std::string("text 0")),
                          Optional(std::string("text 1")),
                          Optional(std::string("text 0")),
                          Optional(std::string("text 1")),
                          Optional(std::string("text 0"))));
  EXPECT_THAT(table.speakers,
              ElementsAre(Optional(std::string("7")),
                          Optional(std::string("8")),
                          std::nullopt,
                          Optional(std::string("7")),
                          Optional(std::string("8"))));
  EXPECT_EQ(table.paths.at(4), "clips/c4.flac");
  EXPECT_THAT(table.clips, ElementsAre(sound(0), sound(1), sound(2), sound(3), sound(4)));
}

TEST_P(ParquetVariantTest, OpensClipsInAnyOrder) {
  const Result<FileAccess> file = FileAccess::open(golden(GetParam()));
  ASSERT_TRUE(file);
  const ParquetFooter footer = read_parquet_footer(file.value()).value();
  const std::size_t column = *footer.column("audio.bytes");
  const ParquetContainer container(version_of_file(golden(GetParam()), file.value().identity()),
                                   file.value().identity(),
                                   footer.columns[column],
                                   read_parquet_pages(file.value(), footer, column).value(),
                                   std::make_shared<PageCache>(Bytes{100}));

  for (const std::uint32_t row : {3U, 0U, 4U, 1U, 2U, 3U}) {
    const Result<StoredClip> clip = container.open({.container = 1, .row = row});
    ASSERT_TRUE(clip) << clip.failure().what;
    const auto memory = clip.value().memory;
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(memory.data()), memory.size()),
              sound(static_cast<int>(row)));
  }
  EXPECT_FALSE(container.open({.container = 1, .row = 5}));
}

// Cut anywhere or with any byte turned, a file is read or refused; nothing is read beyond it.
TEST_P(ParquetVariantTest, DamageIsRefusedOrHarmless) {
  const std::string whole = bytes_of_file(GetParam());

  for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 600) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    read_table(MemoryAccess(std::as_bytes(std::span(bytes))));
    bytes = whole.substr(0, at);
    EXPECT_NE(read_table(MemoryAccess(std::as_bytes(std::span(bytes)))).failure, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Writers,
                         ParquetVariantTest,
                         testing::Values("none",
                                         "none_plain",
                                         "snappy",
                                         "snappy_plain",
                                         "zstd",
                                         "gzip",
                                         "lz4",
                                         "v2",
                                         "v2_none",
                                         "delta",
                                         "groups",
                                         "pages"));

struct Refused {
  const char* file;
  const char* why;
};

class RefusedParquetTest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedParquetTest, NamesWhatIsNotRead) {
  const Result<FileAccess> file = FileAccess::open(golden(GetParam().file));
  ASSERT_TRUE(file);

  EXPECT_THAT(read_table(file.value()).failure, HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Writers,
    RefusedParquetTest,
    testing::Values(Refused{"refused_brotli", "brotli is not read"},
                    Refused{"refused_delta_byte_array", "encoding DELTA_BYTE_ARRAY is not read"},
                    Refused{"refused_list", "audio.list.element (list) is not read"}));

TEST(ParquetFooterTest, RefusesALengthThatLies) {
  std::string bytes = bytes_of_file("snappy");
  bytes.replace(bytes.size() - 8, 4, "\xFF\xFF\xFF\x7F");

  EXPECT_FALSE(read_parquet_footer(MemoryAccess(std::as_bytes(std::span(bytes)))));
}

TEST(ParquetFooterTest, RefusesWhatIsEncrypted) {
  std::string bytes = bytes_of_file("snappy");
  bytes.replace(bytes.size() - 4, 4, "PARE");

  const auto footer = read_parquet_footer(MemoryAccess(std::as_bytes(std::span(bytes))));

  ASSERT_FALSE(footer);
  EXPECT_THAT(footer.failure().what, HasSubstr("encryption is not read"));
}

}  // namespace
}  // namespace qanat
