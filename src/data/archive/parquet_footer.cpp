#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "archive/parquet_file.h"
#include "archive/thrift_reader.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

constexpr std::int64_t kTail = 8;  // length of the footer, magic
constexpr std::int64_t kMaxFooter = std::int64_t{1} << 29;
constexpr std::size_t kMaxColumns = 10'000;
constexpr std::int64_t kMaxRows = INT32_MAX;

Failure damaged_footer() {
  return to_failure(msg::parquet_damaged{});
}

// One node of the schema, which is a tree in depth-first order.
struct SchemaNode {
  std::string name;
  std::optional<std::int64_t> type;
  std::int64_t repetition = 0;  // required, optional, repeated
  std::int64_t children = 0;
  bool is_text = false;
};

SchemaNode read_node(ThriftReader& reader) {
  SchemaNode node;
  reader.for_each_field([&](int id, ThriftType type) {
    if (id == 1) {
      node.type = reader.integer();
    } else if (id == 3) {
      node.repetition = reader.integer();
    } else if (id == 4) {
      node.name = reader.binary();
    } else if (id == 5) {
      node.children = reader.integer();
    } else if (id == 6) {
      node.is_text = reader.integer() == 0;  // UTF8
    } else if (id == 10 && type == ThriftType::structure) {
      reader.for_each_field([&](int logical, ThriftType) {
        node.is_text = node.is_text || logical == 1;  // STRING
      });
    }
  });
  return node;
}

struct ColumnMeta {
  ParquetChunk chunk;
  std::string name;
  bool is_elsewhere = false;  // in another file, or encrypted
};

void read_column_meta(ThriftReader& reader, ColumnMeta& meta) {
  std::int64_t data_page = 0;
  std::optional<std::int64_t> dictionary;
  reader.for_each_field([&](int id, ThriftType) {
    if (id == 3) {
      reader.for_each_element(ThriftType::binary, [&] {
        const std::string_view part = reader.binary();
        meta.name += meta.name.empty() ? "" : ".";
        meta.name += part;
      });
    } else if (id == 4) {
      meta.chunk.codec = static_cast<PageCodec>(reader.integer());
    } else if (id == 5) {
      meta.chunk.values = reader.integer();
    } else if (id == 7) {
      meta.chunk.size = Bytes{reader.integer()};
    } else if (id == 9) {
      data_page = reader.integer();
    } else if (id == 11) {
      dictionary = reader.integer();
    } else if (id == 12) {
      reader.for_each_field([&](int statistic, ThriftType) {
        if (statistic == 3) {
          meta.chunk.nulls = reader.integer();
        }
      });
    }
  });
  const bool is_before = dictionary && *dictionary > 0 && *dictionary < data_page;
  meta.chunk.offset = Bytes{is_before ? *dictionary : data_page};
}

struct GroupMeta {
  std::int64_t rows = 0;
  std::vector<ColumnMeta> columns;
};

GroupMeta read_group(ThriftReader& reader) {
  GroupMeta group;
  reader.for_each_field([&](int id, ThriftType) {
    if (id == 1) {
      reader.for_each_element(ThriftType::structure, [&] {
        ColumnMeta& meta = group.columns.emplace_back();
        reader.for_each_field([&](int field, ThriftType) {
          if (field == 3) {
            read_column_meta(reader, meta);
          } else if (field == 1 || field == 8 || field == 9) {
            meta.is_elsewhere = true;
          }
        });
      });
    } else if (id == 3) {
      group.rows = reader.integer();
    }
  });
  return group;
}

// Adds the leaves below node `at`; gives the node behind them. Nothing: the tree cannot be.
std::optional<std::size_t> add_leaves(const std::vector<SchemaNode>& nodes,
                                      std::size_t at,
                                      const ParquetColumn& above,
                                      ParquetFooter& footer) {
  if (at >= nodes.size()) {
    return std::nullopt;
  }
  const SchemaNode& node = nodes[at];
  ParquetColumn column = above;
  if (at > 0) {
    column.name += (column.name.empty() ? "" : ".") + node.name;
    column.max_definition += node.repetition == 0 ? 0 : 1;
    column.is_repeated = column.is_repeated || node.repetition == 2;
  }
  if (node.type) {
    column.type = static_cast<ParquetType>(*node.type);
    column.is_text = node.is_text;
    footer.columns.push_back(std::move(column));
    return at + 1;
  }
  constexpr int kMaxDepth = 30;
  const auto depth = std::ranges::count(column.name, '.');
  std::optional<std::size_t> next = at + 1;
  for (std::int64_t child = 0; child < node.children && next; ++child) {
    next = depth > kMaxDepth || footer.columns.size() > kMaxColumns
               ? std::nullopt
               : add_leaves(nodes, *next, column, footer);
  }
  return next;
}

bool is_possible(const ParquetChunk& chunk, std::int64_t rows, Bytes size) {
  return chunk.offset.value >= 4 && chunk.size.value >= 0 &&
         chunk.offset.value <= size.value - chunk.size.value && chunk.values >= 0 && rows >= 0;
}

Result<ParquetFooter> to_footer(const std::vector<SchemaNode>& nodes,
                                const std::vector<GroupMeta>& groups,
                                Bytes size) {
  ParquetFooter footer;
  if (add_leaves(nodes, 0, {}, footer) != nodes.size()) {
    return damaged_footer();
  }
  for (const GroupMeta& meta : groups) {
    ParquetGroup group{.rows = meta.rows};
    footer.rows += std::clamp<std::int64_t>(meta.rows, 0, kMaxRows);
    if (meta.columns.size() != footer.columns.size() || footer.rows > kMaxRows) {
      return damaged_footer();
    }
    for (std::size_t i = 0; i < meta.columns.size(); ++i) {
      const ColumnMeta& column = meta.columns[i];
      if (column.is_elsewhere) {
        return to_failure(msg::parquet_refused{.what = "encryption"});
      }
      if (column.name != footer.columns[i].name || !is_possible(column.chunk, meta.rows, size)) {
        return damaged_footer();
      }
      group.chunks.push_back(column.chunk);
    }
    footer.groups.push_back(std::move(group));
  }
  return footer;
}

Result<ParquetFooter> parse_footer(std::span<const std::byte> bytes, Bytes size) {
  ThriftReader reader(bytes);
  std::vector<SchemaNode> nodes;
  std::vector<GroupMeta> groups;
  reader.for_each_field([&](int id, ThriftType) {
    if (id == 2) {
      reader.for_each_element(ThriftType::structure, [&] { nodes.push_back(read_node(reader)); });
    } else if (id == 4) {
      reader.for_each_element(ThriftType::structure, [&] { groups.push_back(read_group(reader)); });
    }
  });
  return reader.failed() ? Result<ParquetFooter>(damaged_footer()) : to_footer(nodes, groups, size);
}

}  // namespace

std::optional<std::size_t> ParquetFooter::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &ParquetColumn::name);
  return found == columns.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

std::vector<std::string> ParquetFooter::names() const {
  std::vector<std::string> names;
  for (const ParquetColumn& column : columns) {
    names.push_back(column.name);
  }
  return names;
}

Result<ParquetFooter> read_parquet_footer(const RandomAccess& file) {
  const std::int64_t size = file.size().value;
  std::array<std::byte, kTail> tail{};
  if (size < kTail + 4) {
    return to_failure(msg::parquet_none{});
  }
  if (const Result<Done> read = file.read(Bytes{size - kTail}, tail); !read) {
    return read.failure();
  }
  if (std::memcmp(tail.data() + 4, "PARE", 4) == 0) {
    return to_failure(msg::parquet_refused{.what = "encryption"});
  }
  if (std::memcmp(tail.data() + 4, "PAR1", 4) != 0) {
    return to_failure(msg::parquet_none{});
  }
  const std::int64_t length = little_32(tail);
  if (length > size - kTail - 4 || length > kMaxFooter) {
    return damaged_footer();
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(length));
  if (const Result<Done> read = file.read(Bytes{size - kTail - length}, bytes); !read) {
    return read.failure();
  }
  return parse_footer(bytes, Bytes{size - kTail - length});
}

}  // namespace qanat
