#include "dataset/manifest_builder.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/error.h"
#include "base/files.h"
#include "base/url.h"
#include "base/utf8.h"
#include "dataset/script.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

constexpr Bytes kLargestManifest = mebibytes(8192);
constexpr std::size_t kMaxSources = 250;  // Utterance::source counts them in a byte

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

// What in the cells of a row is no text; nothing when all is.
std::optional<DatasetProblem> not_text(const ManifestRow& row) {
  for (const std::string_view cell : {row.id, row.audio, row.text, row.speaker, row.language}) {
    if (const std::optional<std::size_t> at = first_invalid_utf8(cell)) {
      const auto byte = static_cast<unsigned char>(cell[*at]);
      return DatasetProblem{
          .kind = ProblemKind::invalid_utf8,
          .detail = msg::seen_byte{.byte = fmt::format("{:#04x}", byte),
                                   .place = plain(static_cast<double>(*at + 1), 0)}};
    }
  }
  for (const std::string_view cell : {row.id, row.audio}) {
    const bool has_control =
        std::ranges::any_of(cell, [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (has_control) {
      return DatasetProblem{.kind = ProblemKind::bad_id, .detail = msg::seen_control_character{}};
    }
  }
  return std::nullopt;
}

}  // namespace

ManifestBuilder::ManifestBuilder(std::filesystem::path root, const ManifestOptions& options)
    : options_(options), locator_(root) {
  manifest_.root = std::move(root);
}

void ManifestBuilder::begin_source(std::string name) {
  QANAT_CHECK(manifest_.sources.size() < kMaxSources) << name;
  manifest_.sources.push_back(std::move(name));
}

void ManifestBuilder::add_content(std::string_view bytes) {
  manifest_.content_hash = content_hash(bytes, manifest_.content_hash);
}

std::string ManifestBuilder::read_source(const std::string& name) {
  const std::filesystem::path path = manifest_.root / name;
  Result<std::string> bytes = read_text_file(path, kLargestManifest);
  if (!bytes) {
    throw Error(bytes.failure());
  }
  if (const auto encoding = foreign_encoding(bytes.value())) {
    throw MessageError(msg::set_refused{.file = path.string(), .why = *encoding});
  }
  begin_source(name);
  add_content(bytes.value());
  return std::move(bytes).value();
}

bool ManifestBuilder::check(const ManifestRow& row) {
  std::optional<DatasetProblem> problem = not_text(row);
  if (!problem && row.audio.empty()) {
    problem = DatasetProblem{.kind = ProblemKind::bad_id, .detail = msg::seen_empty_id{}};
  }
  if (!problem && row.text.empty() && options_.text == TextUse::tokens) {
    problem = DatasetProblem{.kind = ProblemKind::empty_text,
                             .id = std::string(row.id.empty() ? row.audio : row.id),
                             .detail = msg::seen_empty_text{}};
  }
  if (problem) {
    problem->line = row.line;
    add_problem(*std::move(problem));
    return false;
  }
  return true;
}

void ManifestBuilder::check_and_add(const ManifestRow& row, SplitHint split) {
  if (check(row)) {
    add(row, split);
  }
}

void ManifestBuilder::add_stored(const ManifestRow& row, const ClipPlace& place, SplitHint split) {
  if (!check(row)) {
    return;
  }
  ++manifest_.num_rows;
  std::optional<LanguageTag> language = language_of(row);
  if (!language) {
    return;
  }
  manifest_.utterances.push_back({.id = std::string(row.id),
                                  .audio = std::string(row.audio),
                                  .text = std::string(row.text),
                                  .speaker = std::string(row.speaker),
                                  .language = *std::move(language),
                                  .split = split,
                                  .source = source(),
                                  .line = row.line,
                                  .place = place});
}

std::uint32_t ManifestBuilder::add_container(std::unique_ptr<const ClipContainer> container) {
  containers_.push_back(std::move(container));
  return static_cast<std::uint32_t>(containers_.size());
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
  manifest_.utterances.push_back(
      {.id = row.id.empty() ? std::move(location.value().id) : std::string(row.id),
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
    if (!language && options_.text != TextUse::tokens) {
      return LanguageTag();  // nobody reads the text
    }
    if (!language) {
      report(ProblemKind::unknown_language, row, msg::seen_language{.language = row.language});
    }
    return language;
  }
  if (options_.language) {
    return options_.language;
  }
  const TextScript script = script_of(row.text);
  if (!script.language && options_.text != TextUse::tokens) {
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
                                .id = std::string(row.id.empty() ? row.audio : row.id),
                                .detail = std::move(detail)});
}

void ManifestBuilder::add_problem(DatasetProblem problem) {
  problem.source = source();
  manifest_.num_rows += severity_of(problem.kind) == Severity::error ? 1 : 0;
  manifest_.problems.push_back(std::move(problem));
}

void ManifestBuilder::note(ProblemKind kind, MessageArg detail) {
  manifest_.problems.push_back({.kind = kind, .source = source(), .detail = std::move(detail)});
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
  if (!containers_.empty() && is_url(manifest_.root.string())) {
    const std::size_t count = containers_.size();
    manifest_.ahead = std::make_shared<ReadAhead>(
        std::move(containers_), ReadAheadOptions{.requests = options_.store.requests});
    containers_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      containers_.push_back(std::make_unique<const AheadContainer>(manifest_.ahead));
    }
  }
  if (!containers_.empty()) {
    manifest_.containers = std::make_shared<const ClipContainers>(std::move(containers_));
  }
  return std::move(manifest_);
}

}  // namespace qanat
