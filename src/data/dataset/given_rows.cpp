#include "dataset/given_rows.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "base/utf8.h"
#include "dataset/script.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/data_set_facts.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

constexpr const char* kSource = "rows";

class GivenRows {
 public:
  explicit GivenRows(const GivenRowOptions& options) : options_(options) {
    manifest_.root = options.root;
    manifest_.sources = {kSource};
  }

  void add(GivenRow row);
  Manifest finish() && { return std::move(manifest_); }

 private:
  // Why the row cannot be used; nothing when it can.
  std::optional<ProblemKind> refuse(const GivenRow& row, MessageArg& detail);
  std::optional<LanguageTag> language(const GivenRow& row) const;
  int line() const { return static_cast<int>(manifest_.num_rows); }

  const GivenRowOptions& options_;
  Manifest manifest_;
  std::unordered_map<std::string, int> lines_;  // by id
};

std::optional<LanguageTag> GivenRows::language(const GivenRow& row) const {
  std::optional<LanguageTag> known = !row.language.empty() ? to_language_tag(row.language)
                                     : options_.language   ? options_.language
                                                           : script_of(row.text).language;
  if (!known && options_.text != TextUse::tokens) {
    return LanguageTag();  // nobody reads the text
  }
  return known;
}

std::optional<ProblemKind> GivenRows::refuse(const GivenRow& row, MessageArg& detail) {
  for (const std::string* text : {&row.text, &row.speaker}) {
    if (const std::optional<std::size_t> at = first_invalid_utf8(*text)) {
      detail =
          msg::seen_byte{.byte = fmt::format("{:#04x}", static_cast<unsigned char>((*text)[*at])),
                         .place = plain(static_cast<double>(*at + 1), 0)};
      return ProblemKind::invalid_utf8;
    }
  }
  if (options_.text == TextUse::tokens && row.text.empty()) {
    detail = msg::seen_empty_text{};
    return ProblemKind::empty_text;
  }
  if (!language(row)) {
    const TextScript script = script_of(row.text);
    detail = row.language.empty()
                 ? MessageArg(msg::script_open{.script = script.name, .example = script.example})
                 : MessageArg(msg::seen_language{.language = row.language});
    return ProblemKind::unknown_language;
  }
  if (row.is_file) {
    const Result<FileIdentity> found = read_file_identity(options_.root / row.audio);
    if (!found) {
      detail = reason_of(found.failure(), options_.root / row.audio);
      return ProblemKind::missing_audio;
    }
  }
  const auto [first, is_new] = lines_.try_emplace(row.id, line());
  if (!is_new) {
    detail = msg::seen_first{.manifest = kSource, .line = plain(first->second, 0)};
    return ProblemKind::duplicate_id;
  }
  return std::nullopt;
}

void GivenRows::add(GivenRow row) {
  ++manifest_.num_rows;
  manifest_.content_hash = ContentHasher()
                               .add(manifest_.content_hash)
                               .add(row.id)
                               .add(row.audio)
                               .add(row.text)
                               .add(row.speaker)
                               .add(row.language)
                               .value();
  MessageArg detail{std::string()};
  if (const std::optional<ProblemKind> why = refuse(row, detail)) {
    manifest_.problems.push_back({.kind = *why,
                                  .line = line(),
                                  .id = std::move(row.id),
                                  .audio = std::move(row.audio),
                                  .detail = std::move(detail)});
    return;
  }
  LanguageTag spoken = *language(row);
  manifest_.utterances.push_back({.id = std::move(row.id),
                                  .audio = std::move(row.audio),
                                  .text = std::move(row.text),
                                  .speaker = std::move(row.speaker),
                                  .language = std::move(spoken),
                                  .split = row.split,
                                  .line = line()});
}

}  // namespace

Manifest make_manifest(std::vector<GivenRow> rows, const GivenRowOptions& options) {
  GivenRows given(options);
  for (GivenRow& row : rows) {
    given.add(std::move(row));
  }
  Manifest manifest = std::move(given).finish();
  if (const std::optional<Message> why = why_unusable(manifest)) {
    throw MessageError(*why);
  }
  return manifest;
}

}  // namespace qanat
