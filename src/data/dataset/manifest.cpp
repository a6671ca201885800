#include "dataset/manifest.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "dataset/audio_locator.h"
#include "dataset/manifest_parser.h"
#include "dataset/script.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

constexpr Bytes kLargestManifest = mebibytes(8192);
constexpr std::string_view kTrainFile = "metadata_train.csv";
constexpr std::string_view kValidationFile = "metadata_eval.csv";
constexpr std::string_view kWholeFile = "metadata.csv";

SplitHint split_hint(std::string_view file_name) {
  if (file_name == kTrainFile) {
    return SplitHint::train;
  }
  return file_name == kValidationFile ? SplitHint::validation : SplitHint::none;
}

// A set whose rows do not say their language is not taken for English (or Persian) when more than
// this share of them, and more than a few, has letters that English (or Persian) does not write.
constexpr double kForeignShare = 0.1;
constexpr std::size_t kForeignRows = 3;

// `rows` are ascending.
void remove_rows(std::vector<Utterance>& all, const std::vector<std::uint32_t>& rows) {
  std::size_t kept = rows.empty() ? all.size() : rows.front();
  for (std::size_t i = kept, next = 0; i < all.size(); ++i) {
    if (next < rows.size() && rows[next] == i) {
      ++next;
    } else {
      all[kept++] = std::move(all[i]);
    }
  }
  all.resize(kept);
}

// Fills one Manifest from one file after the other.
class ManifestBuilder {
 public:
  ManifestBuilder(std::filesystem::path root, const ManifestOptions& options)
      : locator_(root), language_(options.language), text_(options.text) {
    manifest_.root = std::move(root);
  }

  void read_file(const std::string& name);
  void note_unused_file(const std::string& name);
  Manifest finish() &&;

 private:
  void add(const ManifestRow& row, SplitHint split);
  void report(ProblemKind kind, const ManifestRow& row, MessageArg detail);
  // Nothing when the row is left out, and why is reported.
  std::optional<LanguageTag> language_of(const ManifestRow& row);
  void check_script_languages();
  void drop_duplicates();
  std::uint8_t source() const { return static_cast<std::uint8_t>(manifest_.sources.size() - 1); }

  AudioLocator locator_;
  std::optional<LanguageTag> language_;
  TextUse text_;
  Manifest manifest_;
  std::vector<std::uint32_t> undeclared_;  // rows whose script was taken for their language
};

void ManifestBuilder::read_file(const std::string& name) {
  const std::filesystem::path path = manifest_.root / name;
  const Result<std::string> bytes = read_text_file(path, kLargestManifest);
  if (!bytes) {
    throw Error(bytes.failure());
  }
  if (const auto encoding = foreign_encoding(bytes.value())) {
    throw MessageError(msg::set_refused{.file = path.string(), .why = *encoding});
  }
  manifest_.sources.push_back(name);
  manifest_.content_hash = content_hash(bytes.value(), manifest_.content_hash);
  ManifestParser parser(bytes.value(), text_);
  while (const std::optional<ManifestRow> row = parser.next()) {
    add(*row, split_hint(std::filesystem::path(name).filename().string()));
  }
  if (parser.is_ambiguous() && text_ != TextUse::none) {
    throw MessageError(msg::set_ambiguous_column{.file = path.string()});
  }
  for (DatasetProblem problem : parser.problems()) {
    problem.source = source();
    manifest_.num_rows += severity_of(problem.kind) == Severity::error ? 1 : 0;
    manifest_.problems.push_back(std::move(problem));
  }
}

void ManifestBuilder::note_unused_file(const std::string& name) {
  manifest_.problems.push_back(
      {.kind = ProblemKind::unused_file,
       .detail = msg::seen_not_read{.file = name, .other = manifest_.sources.front()}});
}

void ManifestBuilder::add(const ManifestRow& row, SplitHint split) {
  ++manifest_.num_rows;
  Result<AudioLocation> location = locator_.locate(row.audio);
  if (!location) {
    report(ProblemKind::bad_id, row, reason_of(location.failure()));
    return;
  }
  if (!location.value().path) {
    report(ProblemKind::missing_audio, row, locator_.why_missing(row.audio, row.text));
    return;
  }
  std::optional<LanguageTag> language = language_of(row);
  if (!language) {
    return;
  }
  manifest_.utterances.push_back({.id = std::move(location.value().id),
                                  .audio = std::move(*location.value().path),
                                  .text = std::string(row.text),
                                  .speaker = std::string(row.speaker),
                                  .language = *std::move(language),
                                  .split = split,
                                  .source = source(),
                                  .line = row.line});
}

std::optional<LanguageTag> ManifestBuilder::language_of(const ManifestRow& row) {
  if (!row.language.empty()) {
    std::optional<LanguageTag> language = to_language_tag(row.language);
    if (!language && text_ != TextUse::tokens) {
      return LanguageTag();  // nobody reads the text
    }
    if (!language) {
      report(ProblemKind::unknown_language, row, msg::seen_language{.language = row.language});
    }
    return language;
  }
  if (language_) {
    return language_;
  }
  const TextScript script = script_of(row.text);
  if (!script.language && text_ != TextUse::tokens) {
    return LanguageTag();
  }
  if (!script.language) {
    report(ProblemKind::unknown_language,
           row,
           msg::script_open{.script = script.name, .example = script.example});
    return std::nullopt;
  }
  if (script.language->reader()) {
    undeclared_.push_back(static_cast<std::uint32_t>(manifest_.utterances.size()));
  }
  return script.language;
}

// German and Spanish are in Latin letters, too, and Arabic and Urdu in those of Persian.
void ManifestBuilder::check_script_languages() {
  for (const Language language : {Language::en, Language::fa}) {
    std::size_t all = 0;
    std::size_t foreign = 0;
    std::u32string letters;
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t row : undeclared_) {
      const Utterance& utterance = manifest_.utterances[row];
      if (utterance.language != language) {
        continue;
      }
      rows.push_back(row);
      ++all;
      const std::u32string found = foreign_letters(utterance.text, language);
      foreign += found.empty() ? 0 : 1;
      letters += letters.size() < kForeignRows ? found.substr(0, kForeignRows) : std::u32string();
    }
    if (foreign <= kForeignRows ||
        static_cast<double>(foreign) <= kForeignShare * static_cast<double>(all)) {
      continue;
    }
    const Message why = msg::script_foreign{.language = to_string(language),
                                            .rows = foreign,
                                            .all = all,
                                            .letters = encode_utf8(letters),
                                            .example = language == Language::en ? "de" : "ar"};
    for (const std::uint32_t row : rows) {
      const Utterance& utterance = manifest_.utterances[row];
      manifest_.problems.push_back({.kind = ProblemKind::unknown_language,
                                    .source = utterance.source,
                                    .line = utterance.line,
                                    .id = utterance.id,
                                    .detail = why});
    }
    remove_rows(manifest_.utterances, rows);
    std::erase_if(undeclared_,
                  [&](std::uint32_t row) { return std::ranges::binary_search(rows, row); });
    for (std::uint32_t& row : undeclared_) {
      row -= static_cast<std::uint32_t>(std::ranges::lower_bound(rows, row) - rows.begin());
    }
  }
}

void ManifestBuilder::report(ProblemKind kind, const ManifestRow& row, MessageArg detail) {
  manifest_.problems.push_back({.kind = kind,
                                .source = source(),
                                .line = row.line,
                                .id = std::string(row.audio),
                                .detail = std::move(detail)});
}

// Ids name cache entries, and a row in both splits would validate what was trained: the first row
// stays.
void ManifestBuilder::drop_duplicates() {
  std::vector<Utterance>& all = manifest_.utterances;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(all.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    order[i] = {content_hash(all[i].id), i};
  }
  std::ranges::sort(order);
  std::vector<std::uint32_t> later;
  for (std::size_t first = 0, i = 1; i < order.size(); ++i) {
    const Utterance& earlier = all[order[first].second];
    Utterance& one = all[order[i].second];
    if (order[i].first != order[first].first || one.id != earlier.id) {
      first = i;
      continue;
    }
    later.push_back(order[i].second);
    manifest_.problems.push_back(
        {.kind = ProblemKind::duplicate_id,
         .source = one.source,
         .line = one.line,
         .id = one.id,
         .audio = one.audio,
         .detail = msg::seen_first{.manifest = manifest_.sources[earlier.source],
                                   .line = plain(earlier.line, 0)}});
  }
  std::ranges::sort(later);
  remove_rows(all, later);
}

Manifest ManifestBuilder::finish() && {
  check_script_languages();
  drop_duplicates();
  std::ranges::stable_sort(manifest_.problems, {}, [](const DatasetProblem& problem) {
    return std::pair(problem.source, problem.line);
  });
  return std::move(manifest_);
}

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

Manifest read_folder(const ManifestOptions& options, const std::filesystem::path& root) {
  ManifestBuilder builder(root, options);
  bool found = false;
  for (const std::string_view name : {kTrainFile, kValidationFile}) {
    if (is_file(root / name)) {
      builder.read_file(std::string(name));
      found = true;
    }
  }
  const bool has_whole = is_file(root / kWholeFile);
  if (!found) {
    builder.read_file(std::string(kWholeFile));
  } else if (has_whole) {
    builder.note_unused_file(std::string(kWholeFile));
  }
  return std::move(builder).finish();
}

}  // namespace

Manifest read_manifest(const ManifestOptions& options) {
  Manifest manifest = scan_manifest(options);
  if (const std::optional<Message> why = why_unusable(manifest)) {
    throw MessageError(*why);
  }
  return manifest;
}

std::optional<Message> why_unusable(const Manifest& manifest) {
  if (!manifest.utterances.empty()) {
    return std::nullopt;
  }
  const std::string names = fmt::format("{}", fmt::join(manifest.sources, ", "));
  const std::string where = (manifest.root / names).string();
  const auto first =
      std::ranges::find(manifest.problems, Severity::error, [](const DatasetProblem& problem) {
        return severity_of(problem.kind);
      });
  if (first == manifest.problems.end()) {
    return msg::set_no_rows{.file = where};
  }
  return msg::set_no_usable_row{.file = where,
                                .rows = manifest.num_rows,
                                .line = plain(first->line, 0),
                                .detail = first->detail,
                                .what = explain(first->kind)};
}

void check_manifest_exists(const std::filesystem::path& data) {
  std::error_code error;
  if (!std::filesystem::exists(data, error)) {
    throw MessageError(msg::set_not_found{.data = data.string(), .manifest = kWholeFile});
  }
  const auto has = [&](std::string_view name) { return is_file(data / name); };
  if (std::filesystem::is_directory(data, error) && !has(kTrainFile) && !has(kValidationFile) &&
      !has(kWholeFile)) {
    const std::filesystem::path root = std::filesystem::absolute(data / "").lexically_normal();
    throw MessageError(msg::set_no_manifest{.folder = root.parent_path().string(),
                                            .whole = kWholeFile,
                                            .train = kTrainFile,
                                            .validation = kValidationFile});
  }
}

Manifest scan_manifest(const ManifestOptions& options) {
  check_manifest_exists(options.data);
  std::error_code error;
  const std::filesystem::path data = std::filesystem::absolute(options.data, error);
  if (std::filesystem::is_directory(data, error)) {
    return read_folder(options, (data / "").lexically_normal().parent_path());
  }
  ManifestBuilder builder(data.parent_path().lexically_normal(), options);
  builder.read_file(data.filename().string());
  return std::move(builder).finish();
}

Manifest select(const Manifest& manifest, std::span<const std::uint32_t> items) {
  Manifest part{.root = manifest.root,
                .sources = manifest.sources,
                .utterances = {},
                .problems = {},
                .num_rows = static_cast<std::int64_t>(items.size()),
                .content_hash = manifest.content_hash};
  part.utterances.reserve(items.size());
  for (const std::uint32_t item : items) {
    part.utterances.push_back(manifest.utterances[item]);
  }
  return part;
}

std::int64_t num_left_out(const Manifest& manifest) {
  return std::ranges::count_if(manifest.problems, [](const DatasetProblem& problem) {
    return severity_of(problem.kind) == Severity::error;
  });
}

std::filesystem::path audio_path(const Manifest& manifest, const Utterance& utterance) {
  return manifest.root / utterance.audio;
}

}  // namespace qanat
