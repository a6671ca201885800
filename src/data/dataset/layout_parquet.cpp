// Tables with audio in their cells, as Hugging Face `datasets` writes them.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/parquet_container.h"
#include "base/content_hash.h"
#include "dataset/container_files.h"
#include "dataset/layout_lines.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

constexpr Bytes kPageBudget = mebibytes(256);

// What of one file is read.
struct ParquetColumns {
  std::optional<std::size_t> bytes;  // of the audio
  std::optional<std::size_t> path;   // its name, or where it lies
  std::array<std::optional<std::size_t>, kNumColumnRoles> others{};
};

struct ParquetShard {
  std::string name;
  SplitHint split = SplitHint::none;
  std::uint32_t container = 0;  // 0: the audio is in files
  std::int64_t rows = 0;
  TextCells paths;
  std::array<TextCells, kNumColumnRoles> cells;  // by role

  std::string_view cell(ColumnRole role, std::size_t row) const {
    return at(cells[static_cast<std::size_t>(role)], row);
  }
  std::string_view path(std::size_t row) const { return at(paths, row); }

 private:
  static std::string_view at(const TextCells& cells, std::size_t row) {
    return row < cells.size() && cells[row] ? std::string_view(*cells[row]) : std::string_view();
  }
};

std::vector<std::string> top_names(const ParquetFooter& footer) {
  std::vector<std::string> names;
  for (const ParquetColumn& column : footer.columns) {
    std::string name = column.name.substr(0, column.name.find('.'));
    if (names.empty() || names.back() != name) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

MessageError refused_file(const std::filesystem::path& path, MessageArg why) {
  return MessageError(msg::set_refused{.file = path.string(), .why = std::move(why)});
}

// Throws Error where it cannot be told which column is what, or it is not one that is read.
ParquetColumns columns_of_file(const ParquetFooter& footer,
                               const ManifestOptions& options,
                               const std::filesystem::path& path) {
  const std::vector<std::string> names = top_names(footer);
  const Result<TableColumns> found = find_columns(names, options.columns);
  if (!found) {
    throw refused_file(path, found.failure().message);
  }
  for (const ColumnRole role : {ColumnRole::audio, ColumnRole::text}) {
    const bool is_needed = role == ColumnRole::audio || options.text == TextUse::tokens;
    if (is_needed && !found.value().of(role)) {
      throw refused_file(path,
                         msg::no_column_for{.role = to_string(role),
                                            .columns = fmt::format("{}", fmt::join(names, ", "))});
    }
  }
  ParquetColumns columns;
  const std::string& audio = names[*found.value().of(ColumnRole::audio)];
  columns.bytes = footer.column(audio + ".bytes");
  columns.path = footer.column(audio + ".path");
  if (const std::optional<std::size_t> plain = footer.column(audio)) {
    (footer.columns[*plain].is_text ? columns.path : columns.bytes) = plain;
  }
  if (!columns.bytes && !columns.path) {
    throw refused_file(path, msg::parquet_refused{.what = "column " + audio});
  }
  for (std::size_t role = 1; role < kNumColumnRoles; ++role) {
    if (const std::optional<std::size_t> at = found.value().at[role]) {
      columns.others[role] = footer.column(names[*at]);
    }
  }
  return columns;
}

TextCells read_cells(const RandomAccess& file,
                     const ParquetFooter& footer,
                     std::optional<std::size_t> column,
                     const std::filesystem::path& path) {
  if (!column) {
    return {};
  }
  Result<TextCells> cells = read_text_column(file, footer, *column);
  if (!cells) {
    throw refused_file(path, reason_of(cells.failure(), path));
  }
  return std::move(cells).value();
}

// Whether no row has bytes of its own: the paths are all there is.
bool are_all_null(const ParquetFooter& footer, std::size_t column) {
  return std::ranges::all_of(footer.groups, [&](const ParquetGroup& group) {
    const ParquetChunk& chunk = group.chunks[column];
    return chunk.nulls == chunk.values;
  });
}

ParquetShard read_parquet(ManifestBuilder& builder,
                          const LayoutFile& file,
                          const ContainerFile& opened,
                          const std::shared_ptr<PageCache>& cache) {
  const std::filesystem::path& path = opened.path;
  const RandomAccess& access = *opened.headers;
  const Result<ParquetFooter> footer = read_parquet_footer(access);
  if (!footer) {
    throw refused_file(path, reason_of(footer.failure(), path));
  }
  ParquetColumns columns = columns_of_file(footer.value(), builder.options(), path);
  if (columns.bytes && columns.path && are_all_null(footer.value(), *columns.bytes)) {
    columns.bytes.reset();
  }
  if (!columns.bytes && opened.remote) {
    throw refused_file(path, msg::store_rows_of_files{});
  }
  ParquetShard shard{.name = file.name, .split = file.split, .rows = footer.value().rows};
  shard.paths = read_cells(access, footer.value(), columns.path, path);
  for (const ColumnRole wanted :
       {ColumnRole::text, ColumnRole::normalised, ColumnRole::speaker, ColumnRole::language}) {
    const auto role = static_cast<std::size_t>(wanted);
    shard.cells[role] = read_cells(access, footer.value(), columns.others[role], path);
  }
  if (columns.bytes) {
    Result<std::vector<ParquetPage>> pages =
        read_parquet_pages(access, footer.value(), *columns.bytes);
    if (!pages) {
      throw refused_file(path, reason_of(pages.failure(), path));
    }
    shard.container = builder.add_container(
        std::make_unique<const ParquetContainer>(version_of(opened),
                                                 opened.identity,
                                                 footer.value().columns[*columns.bytes],
                                                 std::move(pages).value(),
                                                 cache));
  }
  return shard;
}

// "a/b.flac" is b; empty where there is no path.
std::string stem_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(AudioLocator::without_extension(
      slash == std::string_view::npos ? path : path.substr(slash + 1)));
}

// Whether every row of the set has a path whose name no other has.
bool have_own_names(const std::vector<ParquetShard>& shards) {
  std::unordered_set<std::uint64_t> names;
  for (const ParquetShard& shard : shards) {
    for (std::int64_t row = 0; row < shard.rows; ++row) {
      const std::string stem = stem_of(shard.path(static_cast<std::size_t>(row)));
      if (stem.empty() || !names.insert(content_hash(stem)).second) {
        return false;
      }
    }
  }
  return true;
}

void add_shard(ManifestBuilder& builder, const ParquetShard& shard, bool own_names) {
  const std::string stem(stem_of_container(shard.name));
  for (std::size_t row = 0; row < static_cast<std::size_t>(shard.rows); ++row) {
    const std::string id = own_names ? stem_of(shard.path(row)) : fmt::format("{}/{}", stem, row);
    const std::string_view normalised = shard.cell(ColumnRole::normalised, row);
    const std::string_view text =
        trim_ends(normalised.empty() ? shard.cell(ColumnRole::text, row) : normalised);
    const std::string audio =
        shard.container == 0 ? std::string(shard.path(row))
                             : fmt::format("{}/{}", shard.name, own_names ? shard.path(row) : id);
    const ManifestRow cells{.line = static_cast<int>(row) + 1,
                            .audio = audio,
                            .id = id,
                            .text = text,
                            .speaker = shard.cell(ColumnRole::speaker, row),
                            .language = shard.cell(ColumnRole::language, row)};
    builder.add_content(id);
    builder.add_content(text);
    if (shard.container == 0) {
      builder.check_and_add(cells, shard.split);
    } else {
      builder.add_stored(cells,
                         {.container = shard.container, .row = static_cast<std::uint32_t>(row)},
                         shard.split);
    }
  }
}

}  // namespace

void read_parquet_shards(ManifestBuilder& builder, const Layout& layout) {
  builder.begin_source(layout.files.size() == 1 ? layout.files.front().name : ".");
  const auto cache = std::make_shared<PageCache>(kPageBudget);
  const ContainerFiles files(builder.root(), names_of(layout), builder.options().store);
  std::vector<ParquetShard> shards;
  for (std::size_t i = 0; i < layout.files.size(); ++i) {
    shards.push_back(read_parquet(builder, layout.files[i], files.open(i), cache));
  }
  const bool own_names = have_own_names(shards);
  for (const ParquetShard& shard : shards) {
    add_shard(builder, shard, own_names);
  }
}

}  // namespace qanat
