#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/gzip.h"
#include "base/error.h"
#include "base/files.h"
#include "dataset/column_names.h"
#include "dataset/json_rows.h"
#include "dataset/layout.h"
#include "dataset/layout_lines.h"
#include "dataset/table_parser.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestUnpacked = mebibytes(8192);

void add_json(
    ManifestBuilder& builder, AudioBase& base, int line, const JsonRow& row, SplitHint split) {
  const std::string audio = row.audio.empty() ? std::string() : base.path_of(row.audio);
  const std::string id = row.id.empty() ? base.id_of(row.audio) : row.id;
  builder.check_and_add({.line = line,
                         .audio = audio,
                         .id = id,
                         .text = trim_ends(row.text),
                         .speaker = row.speaker,
                         .language = row.language},
                        split);
}

void read_json(ManifestBuilder& builder, std::string_view bytes, const LayoutFile& file) {
  AudioBase base(builder, folder_of(file.name));
  for_each_line(bytes, [&](int line, std::string_view text) {
    ParsedJson parsed = parse_json_row(text, builder.options().columns);
    if (auto* const refused = std::get_if<JsonRefusal>(&parsed)) {
      refuse(builder, line, std::move(*refused));
    } else {
      add_json(builder, base, line, std::get<JsonRow>(parsed), file.split);
    }
  });
}

// Throws Error where the header does not say which columns hold audio and text.
TableColumns table_columns(const ManifestBuilder& builder,
                           const std::vector<std::string>& names,
                           const LayoutFile& file) {
  const std::string path = (builder.root() / file.name).string();
  Result<TableColumns> columns = find_columns(names, builder.options().columns);
  if (!columns) {
    throw MessageError(msg::set_refused{.file = path, .why = columns.failure().message});
  }
  for (const ColumnRole role : {ColumnRole::audio, ColumnRole::text}) {
    const bool is_needed = role == ColumnRole::audio || builder.options().text != TextUse::none;
    if (is_needed && !columns.value().of(role)) {
      throw MessageError(msg::set_refused{
          .file = path,
          .why = msg::no_column_for{.role = to_string(role),
                                    .columns = fmt::format("{}", fmt::join(names, ", "))}});
    }
  }
  return std::move(columns).value();
}

void note_columns_taken(ManifestBuilder& builder,
                        const std::vector<std::string>& names,
                        const TableColumns& columns) {
  std::vector<std::string> taken;
  for (std::size_t role = 0; role < kNumColumnRoles; ++role) {
    if (columns.at[role] && role != static_cast<std::size_t>(ColumnRole::duration)) {
      taken.push_back(
          fmt::format("{}={}", to_string(static_cast<ColumnRole>(role)), names[*columns.at[role]]));
    }
  }
  builder.note(ProblemKind::layout,
               msg::columns_taken{.columns = fmt::format("{}", fmt::join(taken, ","))});
}

void read_table(ManifestBuilder& builder,
                std::string_view bytes,
                TableForm form,
                const LayoutFile& file,
                std::string audio_folder) {
  TableParser parser(bytes, form);
  if (!parser.next()) {
    return;
  }
  const std::vector<std::string> names = parser.cells();
  const TableColumns columns = table_columns(builder, names, file);
  note_columns_taken(builder, names, columns);
  if (audio_folder.empty()) {  // Common Voice has ten columns that say nothing here
    for (const std::string& name : columns.unused) {
      builder.note(ProblemKind::unused_column, msg::seen_column{.name = name});
    }
  }
  AudioBase base(builder, folder_of(file.name) + audio_folder);
  const auto cell = [&](ColumnRole role) -> std::string_view {
    const std::optional<std::size_t> at = columns.of(role);
    return at && *at < parser.cells().size() ? std::string_view(parser.cells()[*at]) : "";
  };
  while (parser.next()) {
    if (parser.cells().size() != names.size()) {
      builder.add_problem(
          {.kind = ProblemKind::wrong_columns,
           .line = parser.line(),
           .id = std::string(cell(ColumnRole::audio)),
           .detail = msg::seen_cells{.found = parser.cells().size(), .wanted = names.size()}});
      continue;
    }
    const std::string_view normalised = cell(ColumnRole::normalised);
    const std::string_view name = cell(ColumnRole::audio);
    const std::string audio = name.empty() ? std::string() : base.path_of(name);
    const std::string id = base.id_of(name);
    builder.check_and_add({.line = parser.line(),
                           .audio = audio,
                           .id = id,
                           .text = normalised.empty() ? cell(ColumnRole::text) : normalised,
                           .speaker = cell(ColumnRole::speaker),
                           .language = cell(ColumnRole::language)},
                          file.split);
  }
}

void read_list(ManifestBuilder& builder, std::string_view bytes, const LayoutFile& file) {
  ManifestParser parser(bytes, builder.options().text);
  AudioBase base(builder, folder_of(file.name));
  while (std::optional<ManifestRow> row = parser.next()) {
    const std::string audio = base.path_of(row->audio);
    const std::string id = base.id_of(row->audio);
    row->audio = audio;
    row->id = id;
    builder.add(*row, file.split);
  }
  if (parser.is_ambiguous() && builder.options().text != TextUse::none) {
    throw MessageError(msg::set_ambiguous_column{.file = (builder.root() / file.name).string()});
  }
  for (const DatasetProblem& problem : parser.problems()) {
    builder.add_problem(problem);
  }
}

// Whether most of the first lines have a `|`.
bool is_list(std::string_view bytes) {
  constexpr int kLines = 20;
  int lines = 0;
  int with_bar = 0;
  for_each_line(bytes.substr(0, 1 << 16), [&](int, std::string_view line) {
    if (lines < kLines) {
      ++lines;
      with_bar += line.find('|') == std::string_view::npos ? 0 : 1;
    }
  });
  return 2 * with_bar > lines;
}

bool has_known_header(std::string_view bytes, TableForm form) {
  TableParser parser(bytes, form);
  return parser.next() && std::ranges::any_of(parser.cells(), [](const std::string& name) {
           return role_of(name) != ColumnRole::unused;
         });
}

std::string read_unpacked(ManifestBuilder& builder, const std::string& name) {
  if (!name.ends_with(".gz")) {
    return builder.read_source(name);
  }
  const fs::path path = builder.root() / name;
  const Result<MappedFile> packed = MappedFile::open(path);
  Result<std::string> bytes = packed ? gunzip(packed.value().bytes(), kLargestUnpacked)
                                     : Result<std::string>(packed.failure());
  if (!bytes) {
    throw MessageError(
        msg::set_refused{.file = path.string(), .why = reason_of(bytes.failure(), path)});
  }
  builder.begin_source(name);
  builder.add_content(bytes.value());
  return std::move(bytes).value();
}

// recordings.jsonl for supervisions.jsonl
void read_lhotse_pair(ManifestBuilder& builder, const LayoutFile& file) {
  constexpr std::string_view kWord = "supervisions";
  std::string other = file.name;
  other.replace(other.find(kWord), kWord.size(), "recordings");
  std::unordered_map<std::string, JsonRecording> recordings;
  for_each_line(read_unpacked(builder, other), [&](int line, std::string_view text) {
    auto parsed = parse_json_recording(text);
    if (auto* const refused = std::get_if<JsonRefusal>(&parsed)) {
      refuse(builder, line, std::move(*refused));
    } else {
      auto& one = std::get<JsonRecording>(parsed);
      recordings.try_emplace(one.id, std::move(one));
    }
  });
  AudioBase base(builder, folder_of(file.name));
  for_each_line(read_unpacked(builder, file.name), [&](int line, std::string_view text) {
    auto parsed = parse_json_supervision(text);
    if (auto* const refused = std::get_if<JsonRefusal>(&parsed)) {
      return refuse(builder, line, std::move(*refused));
    }
    auto& one = std::get<JsonSupervision>(parsed);
    const auto recording = recordings.find(one.recording);
    if (recording == recordings.end()) {
      return refuse(builder,
                    line,
                    {.id = one.row.id, .detail = msg::recording_unknown{.id_text = one.recording}});
    }
    if (!is_whole(one.start, one.duration, recording->second.duration)) {
      return refuse(builder, line, {.id = one.row.id, .detail = part_of_recording()});
    }
    one.row.audio = recording->second.audio;
    add_json(builder, base, line, one.row, file.split);
  });
}

void read_lhotse(ManifestBuilder& builder, const LayoutFile& file) {
  if (file.name.find("cuts") == std::string::npos &&
      file.name.find("supervisions") != std::string::npos) {
    return read_lhotse_pair(builder, file);
  }
  read_json(builder, read_unpacked(builder, file.name), file);
}

// Names the first and the last of thousands of shards.
std::vector<std::string> shown_files(const std::vector<LayoutFile>& files) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  for (const LayoutFile& file : files) {
    names.push_back(file.name.empty() ? "." : file.name);
  }
  if (names.size() > kShown) {
    names = {names.front(), fmt::format("... ({})", names.size()), names.back()};
  }
  return names;
}

void note_layout(ManifestBuilder& builder, const Layout& layout, const fs::path& asked) {
  const bool is_below = layout.root != asked;
  if (!layout.title.empty() || is_below) {
    const std::vector<std::string> files = shown_files(layout.files);
    const std::string where = is_below ? layout.root.filename().string() : ".";
    builder.note(ProblemKind::layout,
                 msg::layout_is{.layout = layout.title.empty() ? "list" : layout.title,
                                .folder = where,
                                .files = files});
  }
  for (const std::string& name : layout.unused) {
    builder.note(ProblemKind::unused_file,
                 msg::seen_not_read{.file = name, .other = layout.files.front().name});
  }
}

}  // namespace

void read_rows(ManifestBuilder& builder, const LayoutFile& file) {
  const std::string bytes = builder.read_source(file.name);
  const std::string_view text = bytes;
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first != std::string_view::npos && text[first] == '{') {
    return read_json(builder, text, file);
  }
  const bool has_choice = builder.options().columns != ColumnChoice{};
  if (is_list(text)) {
    return has_choice ? read_table(builder, text, {.separator = '|', .has_quotes = false}, file, "")
                      : read_list(builder, text, file);
  }
  const std::optional<TableForm> form = table_form(text);
  if (!form) {
    return read_list(builder, text, file);
  }
  if (!has_choice && !has_known_header(text, *form)) {
    std::string list = bytes;
    if (form->separator == '\t') {
      std::ranges::replace(list, '\t', '|');
    }
    return read_list(builder, list, file);
  }
  read_table(builder, text, *form, file, "");
}

Manifest read_layout(const Layout& layout, const ManifestOptions& options) {
  ManifestBuilder builder(layout.root, options);
  std::error_code error;
  const bool is_folder = fs::is_directory(options.data, error);
  for (const LayoutFile& file : layout.files) {
    switch (layout.kind) {
      case LayoutKind::lists:
        read_rows(builder, file);
        break;
      case LayoutKind::common_voice:
        read_table(builder,
                   builder.read_source(file.name),
                   {.separator = '\t', .has_quotes = false},
                   file,
                   "clips/");
        break;
      case LayoutKind::kaldi:
        read_kaldi(builder, file);
        break;
      case LayoutKind::lhotse:
        read_lhotse(builder, file);
        break;
      case LayoutKind::vctk:
      case LayoutKind::tar:
      case LayoutKind::parquet:
        break;
      case LayoutKind::libri:
        read_libri(builder, file);
        break;
    }
  }
  if (layout.kind == LayoutKind::vctk) {
    read_vctk(builder, layout);
  } else if (layout.kind == LayoutKind::tar) {
    read_tar_shards(builder, layout);
  } else if (layout.kind == LayoutKind::parquet) {
    read_parquet_shards(builder, layout);
  }
  if (is_folder) {
    const fs::path asked = fs::absolute(options.data, error) / "";
    note_layout(builder, layout, asked.lexically_normal().parent_path());
  }
  return std::move(builder).finish();
}

}  // namespace qanat
