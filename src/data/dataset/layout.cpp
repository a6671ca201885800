#include "dataset/layout.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/url.h"
#include "dataset/column_names.h"
#include "dataset/file_pattern.h"
#include "dataset/table_parser.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_layouts.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxListed = 5000;  // names of a folder that are looked at
constexpr std::size_t kMaxBelow = 100;    // folders in it that are
constexpr std::size_t kStartOfFile = 1 << 14;

// The names in one folder that are not hidden, sorted.
struct FolderNames {
  std::vector<std::string> files;
  std::vector<std::string> folders;

  bool has_file(std::string_view name) const { return std::ranges::binary_search(files, name); }
  bool has_folder(std::string_view name) const { return std::ranges::binary_search(folders, name); }
};

FolderNames names_in(const fs::path& folder) {
  FolderNames names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (std::size_t count = 0; !error && entry != fs::directory_iterator() && count < kMaxListed;
       entry.increment(error), ++count) {
    std::string name = entry->path().filename().string();
    if (name.starts_with('.')) {
      continue;
    }
    std::error_code ignored;
    (entry->is_directory(ignored) ? names.folders : names.files).push_back(std::move(name));
  }
  std::ranges::sort(names.files);
  std::ranges::sort(names.folders);
  return names;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

enum class NamedSplit { none, train, validation, test };

// By the words of a name: train-clean-100, val_list.txt, 92_manifest_clean_dev.json.
NamedSplit named_split(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, NamedSplit>, 9> kWords = {
      {{"train", NamedSplit::train},
       {"training", NamedSplit::train},
       {"dev", NamedSplit::validation},
       {"val", NamedSplit::validation},
       {"valid", NamedSplit::validation},
       {"validation", NamedSplit::validation},
       {"eval", NamedSplit::validation},
       {"test", NamedSplit::test},
       {"testing", NamedSplit::test}}};
  std::string word;
  for (const char c : lower_case(name) + ".") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word.push_back(c);
      continue;
    }
    const auto* const found =
        std::ranges::find(kWords, word, [](const auto& one) { return one.first; });
    if (found != kWords.end()) {
      return found->second;
    }
    word.clear();
  }
  return NamedSplit::none;
}

// Where some train, those of other names are not read; where none does, all are one set.
void take_splits(Layout& layout, const std::vector<std::string>& names) {
  const auto is_train = [](const std::string& name) {
    return named_split(name) == NamedSplit::train;
  };
  const bool divided = std::ranges::any_of(names, is_train);
  for (const std::string& name : names) {
    const NamedSplit split = named_split(name);
    if (!divided) {
      layout.files.push_back({name, SplitHint::none});
    } else if (split == NamedSplit::train) {
      layout.files.push_back({name, SplitHint::train});
    } else if (split == NamedSplit::validation) {
      layout.files.push_back({name, SplitHint::validation});
    } else {
      layout.unused.push_back(name);
    }
  }
}

std::string start_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kStartOfFile, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return bytes;
}

bool has_extension(std::string_view name, std::span<const std::string_view> extensions) {
  const std::string lower = lower_case(name);
  return std::ranges::any_of(
      extensions, [&](std::string_view extension) { return lower.ends_with(extension); });
}

// Whether a file begins like rows: a list with `|`, or a table whose header names an audio and a
// text column.
bool begins_with_rows(const fs::path& path) {
  const std::string start = start_of(path);
  const std::optional<TableForm> form = table_form(start);
  if (!form) {
    return std::string_view(start).substr(0, start.find('\n')).find('|') != std::string_view::npos;
  }
  TableParser parser(start, *form);
  if (!parser.next()) {
    return false;
  }
  const Result<TableColumns> columns = find_columns(parser.cells(), {});
  return columns && columns.value().of(ColumnRole::audio) && columns.value().of(ColumnRole::text);
}

bool begins_with_object(const fs::path& path) {
  const std::string start = start_of(path);
  const std::size_t first = start.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const std::string_view line = std::string_view(start).substr(0, start.find('\n'));
  return first != std::string::npos && start[first] == '{' &&
         line.find('}') != std::string_view::npos;
}

MessageError several(const fs::path& folder, std::vector<std::string> names) {
  constexpr std::size_t kShown = 6;
  if (names.size() > kShown) {
    names.resize(kShown);
    names.emplace_back("...");
  }
  return MessageError(msg::layout_several{
      .folder = folder.string(), .names = names, .example = (folder / names.front()).string()});
}

std::optional<Layout> ljspeech(const fs::path& root) {
  Layout layout{.root = root};
  for (const auto& [name, split] : {std::pair("metadata_train.csv", SplitHint::train),
                                    std::pair("metadata_eval.csv", SplitHint::validation)}) {
    if (is_there(root / name)) {
      layout.files.push_back({name, split});
    }
  }
  if (is_there(root / "metadata.csv")) {
    if (layout.files.empty()) {
      layout.files.push_back({"metadata.csv", SplitHint::none});
    } else {
      layout.unused.emplace_back("metadata.csv");
    }
  }
  return layout.files.empty() ? std::nullopt : std::optional(std::move(layout));
}

std::optional<Layout> kaldi(const fs::path& root, const FolderNames& names) {
  if (!names.has_file("wav.scp") || !names.has_file("text")) {
    return std::nullopt;
  }
  return Layout{.kind = LayoutKind::kaldi, .root = root, .title = "Kaldi", .files = {{"text"}}};
}

std::optional<Layout> common_voice(const fs::path& root, const FolderNames& names) {
  if (!names.has_folder("clips")) {
    return std::nullopt;
  }
  Layout layout{.kind = LayoutKind::common_voice, .root = root, .title = "Common Voice"};
  if (names.has_file("train.tsv")) {
    layout.files.push_back({"train.tsv", SplitHint::train});
    if (names.has_file("dev.tsv")) {
      layout.files.push_back({"dev.tsv", SplitHint::validation});
    }
  } else if (names.has_file("validated.tsv")) {
    layout.files.push_back({"validated.tsv", SplitHint::none});
  } else {
    return std::nullopt;
  }
  for (const char* const other : {"test.tsv", "validated.tsv"}) {
    if (names.has_file(other) && layout.files.front().name != other) {
      layout.unused.emplace_back(other);
    }
  }
  return layout;
}

std::optional<Layout> vctk(const fs::path& root, const FolderNames& names) {
  for (const char* const audio : {"wav48_silence_trimmed", "wav48", "wav16", "wav"}) {
    if (names.has_folder("txt") && names.has_folder(audio) &&
        !names_in(root / "txt").folders.empty()) {
      return Layout{
          .kind = LayoutKind::vctk, .root = root, .title = "VCTK", .files = {{"txt"}, {audio}}};
    }
  }
  return std::nullopt;
}

bool is_number_name(const std::string& name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The first folder with a number for a name in it.
std::optional<fs::path> first_number(const fs::path& folder) {
  const std::vector<std::string> folders = names_in(folder).folders;
  const auto found = std::ranges::find_if(folders, is_number_name);
  return found == folders.end() ? std::nullopt : std::optional(folder / *found);
}

// Whether a folder is speakers, of chapters, of texts, all numbered.
bool is_libri_split(const fs::path& folder) {
  const std::optional<fs::path> speaker = first_number(folder);
  const std::optional<fs::path> chapter = speaker ? first_number(*speaker) : std::nullopt;
  return chapter && std::ranges::any_of(names_in(*chapter).files, [](const std::string& name) {
           return name.ends_with(".normalized.txt") || name.ends_with(".trans.txt");
         });
}

std::optional<Layout> libri(const fs::path& root, const FolderNames& names) {
  Layout layout{.kind = LayoutKind::libri, .root = root, .title = "LibriTTS"};
  if (is_libri_split(root)) {
    layout.files.push_back({"", SplitHint::none});
    return layout;
  }
  std::vector<std::string> splits;
  std::ranges::copy_if(names.folders, std::back_inserter(splits), [&](const std::string& name) {
    return named_split(name) != NamedSplit::none && is_libri_split(root / name);
  });
  take_splits(layout, splits);
  return layout.files.empty() ? std::nullopt : std::optional(std::move(layout));
}

constexpr std::array<std::string_view, 3> kJsonLines = {".jsonl", ".json", ".jsonl.gz"};
constexpr std::array<std::string_view, 3> kTars = {".tar", ".tar.gz", ".tgz"};
constexpr std::array<std::string_view, 5> kLists = {".csv", ".tsv", ".txt", ".list", ".psv"};

std::optional<Layout> lhotse(const fs::path& root, const FolderNames& names) {
  const auto with = [&](std::string_view word) {
    std::vector<std::string> found;
    for (const std::string& name : names.files) {
      if (name.find(word) != std::string::npos &&
          (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz"))) {
        found.push_back(name);
      }
    }
    return found;
  };
  Layout layout{.kind = LayoutKind::lhotse, .root = root, .title = "Lhotse"};
  std::vector<std::string> read = with("cuts");
  if (read.empty() && !with("recordings").empty()) {
    read = with("supervisions");
  }
  take_splits(layout, read);
  return layout.files.empty() ? std::nullopt : std::optional(std::move(layout));
}

std::optional<Layout> json_lines(const fs::path& root, const FolderNames& names) {
  std::vector<std::string> found;
  for (const std::string& name : names.files) {
    if (has_extension(name, kJsonLines) && !name.ends_with(".gz") &&
        begins_with_object(root / name)) {
      found.push_back(name);
    }
  }
  Layout layout{.root = root, .title = "JSON Lines"};
  take_splits(layout, found);
  const bool is_divided = !layout.files.empty() && layout.files.front().split != SplitHint::none;
  if (layout.files.size() > 1 && !is_divided) {
    throw several(root, found);
  }
  return layout.files.empty() ? std::nullopt : std::optional(std::move(layout));
}

std::optional<Layout> audio_folder(const fs::path& root, const FolderNames& names) {
  std::vector<std::string> found;
  for (const std::string& folder : names.folders) {
    for (const char* const table : {"metadata.csv", "metadata.jsonl"}) {
      if (named_split(folder) != NamedSplit::none && is_there(root / folder / table)) {
        found.push_back(folder + "/" + table);
      }
    }
  }
  Layout layout{.root = root, .title = "audiofolder"};
  take_splits(layout, found);
  return layout.files.empty() ? std::nullopt : std::optional(std::move(layout));
}

std::optional<Layout> other_lists(const fs::path& root, const FolderNames& names) {
  std::vector<std::string> found;
  std::ranges::copy_if(names.files, std::back_inserter(found), [&](const std::string& name) {
    return has_extension(name, kLists) && begins_with_rows(root / name);
  });
  Layout layout{.root = root};
  take_splits(layout, found);
  const auto is_same = [&](const LayoutFile& file) {
    return file.split == layout.files.front().split;
  };
  if (std::ranges::count_if(layout.files, is_same) > 1) {
    throw several(root, found);
  }
  if (layout.files.empty()) {
    return std::nullopt;
  }
  layout.title = layout.files.front().name;
  return layout;
}

std::optional<Layout> shards_of(const fs::path& root,
                                const FolderNames& names,
                                std::string_view extension,
                                Layout layout) {
  std::vector<std::string> found;
  std::ranges::copy_if(names.files, std::back_inserter(found), [&](const std::string& name) {
    return name.ends_with(extension);
  });
  layout.root = root;
  take_splits(layout, found);
  return layout.files.empty() ? std::nullopt : std::optional(std::move(layout));
}

std::optional<Layout> tar_shards(const fs::path& root, const FolderNames& names) {
  return shards_of(root, names, ".tar", {.kind = LayoutKind::tar, .title = "WebDataset"});
}

std::optional<Layout> parquet_shards(const fs::path& root, const FolderNames& names) {
  return shards_of(root, names, ".parquet", {.kind = LayoutKind::parquet, .title = "Parquet"});
}

// The folder itself, not what is below it.
std::optional<Layout> recognize_here(const fs::path& root) {
  if (std::optional<Layout> found = ljspeech(root)) {
    return found;
  }
  const FolderNames names = names_in(root);
  if (names.has_file("metadata.jsonl")) {
    return Layout{
        .root = root, .title = "audiofolder", .files = {{"metadata.jsonl", SplitHint::none}}};
  }
  for (const auto recognize : {kaldi,
                               common_voice,
                               vctk,
                               lhotse,
                               audio_folder,
                               libri,
                               tar_shards,
                               parquet_shards,
                               json_lines,
                               other_lists}) {
    if (std::optional<Layout> found = recognize(root, names)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Layout> recognize_layout(const fs::path& folder) {
  if (std::optional<Layout> found = recognize_here(folder)) {
    return found;
  }
  std::vector<std::string> below = names_in(folder).folders;
  below.resize(std::min(below.size(), kMaxBelow));
  std::vector<Layout> found;
  std::vector<std::string> named;
  for (const std::string& name : below) {
    if (std::optional<Layout> one = recognize_here(folder / name)) {
      found.push_back(*std::move(one));
      named.push_back(name);
    }
  }
  if (found.size() > 1) {
    throw several(folder, named);
  }
  if (found.empty()) {
    explain_unreadable(folder);
    return std::nullopt;
  }
  return std::move(found.front());
}

Layout layout_of_file(const fs::path& file) {
  const std::string name = file.filename().string();
  const fs::path root = file.parent_path();
  const bool is_gzip = name.ends_with(".jsonl.gz");
  if (is_gzip || (has_extension(name, kJsonLines) &&
                  start_of(file).find("\"supervisions\"") != std::string::npos)) {
    return {.kind = LayoutKind::lhotse, .root = root, .title = "Lhotse", .files = {{name}}};
  }
  if (has_extension(name, kTars)) {
    return {.kind = LayoutKind::tar, .root = root, .title = "WebDataset", .files = {{name}}};
  }
  if (name.ends_with(".parquet")) {
    return {.kind = LayoutKind::parquet, .root = root, .title = "Parquet", .files = {{name}}};
  }
  SplitHint split = SplitHint::none;
  if (name == "metadata_train.csv") {
    split = SplitHint::train;
  } else if (name == "metadata_eval.csv") {
    split = SplitHint::validation;
  }
  return {.root = root, .files = {{name, split}}};
}

namespace {

// Its name without what asks for a form of it: "x.tar?download=true".
std::string_view without_query(std::string_view url) {
  return url.substr(0, url.find_first_of("?#"));
}

// What all of them begin with, up to a slash.
std::string_view shared_folder(const std::vector<std::string>& urls) {
  std::string_view shared = without_query(urls.front());
  for (const std::string& url : urls) {
    const auto ends = std::ranges::mismatch(shared, without_query(url));
    shared = shared.substr(0, static_cast<std::size_t>(ends.in1 - shared.begin()));
  }
  return shared.substr(0, std::min(shared.rfind('/'), shared.size()));
}

LayoutKind kind_of_url(const std::string& url) {
  const std::string_view name = without_query(url);
  if (!name.ends_with(".tar") && !name.ends_with(".parquet")) {
    throw MessageError(msg::store_not_container{.url = url});
  }
  return name.ends_with(".tar") ? LayoutKind::tar : LayoutKind::parquet;
}

}  // namespace

Layout layout_of_url(const std::string& url) {
  if (has_secret(url)) {
    throw MessageError(msg::store_secret{});
  }
  const std::vector<std::string> urls = expand_braces(url);
  if (urls.empty()) {
    throw MessageError(msg::store_not_container{.url = url});
  }
  const LayoutKind kind = kind_of_url(urls.front());
  const std::string folder(shared_folder(urls));
  // A host, or a bucket, and not the slashes before it.
  if (folder.size() <= folder.find("://") + 3 || folder.ends_with('/')) {
    throw MessageError(msg::store_not_container{.url = url});
  }
  std::vector<std::string> names;
  for (const std::string& one : urls) {
    if (kind_of_url(one) != kind) {
      throw several(folder, {urls.front(), one});
    }
    names.push_back(one.substr(folder.size() + 1));
  }
  Layout layout{
      .kind = kind, .root = folder, .title = kind == LayoutKind::tar ? "WebDataset" : "Parquet"};
  take_splits(layout, names);
  return layout;
}

std::optional<Layout> layout_of_pattern(const std::string& pattern) {
  std::vector<fs::path> files = files_of_pattern(pattern);
  if (files.empty()) {
    return std::nullopt;
  }
  Layout layout = layout_of_file(files.front());
  layout.files.clear();
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    if (layout_of_file(file).kind != layout.kind) {
      throw several(layout.root, {files.front().filename().string(), file.filename().string()});
    }
    names.push_back(file.lexically_relative(layout.root).string());
  }
  take_splits(layout, names);
  return layout;
}

void explain_unreadable(const fs::path& folder) {
  const FolderNames names = names_in(folder);
  const auto first = [&](std::span<const std::string_view> extensions) {
    const auto found = std::ranges::find_if(
        names.files, [&](const std::string& name) { return has_extension(name, extensions); });
    return found == names.files.end() ? std::string() : (folder / *found).string();
  };
  if (const std::string arrow = first(std::array<std::string_view, 1>{".arrow"}); !arrow.empty()) {
    throw MessageError(msg::convert_arrow{
        .file = arrow,
        .command = fmt::format("python -c \"from datasets import load_from_disk; "
                               "load_from_disk('{0}').to_parquet('{0}.parquet')\"",
                               folder.string())});
  }
  if (const std::string zip = first(std::array<std::string_view, 1>{".zip"}); !zip.empty()) {
    throw MessageError(msg::convert_archive{
        .file = zip, .command = fmt::format("unzip {} -d {}", zip, folder.string())});
  }
  const std::string tar =
      first(std::array<std::string_view, 5>{".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst"});
  if (!tar.empty()) {
    throw MessageError(msg::convert_archive{
        .file = tar, .command = fmt::format("tar -xf {} -C {}", tar, folder.string())});
  }
}

}  // namespace qanat
