// Parses the rows of a manifest from arbitrary bytes. Does no file access.
//
// Rows are `id|text`, `id|text|normalised`, and with a fourth and fifth column speaker and
// language; manifest_form() recognises the lists of other programs by what their columns hold. A
// header names its columns itself and may leave out or reorder them. Cells are split at '|' only:
// quotation marks mean themselves. A byte order mark, blank lines, and lines that end in LF, CRLF
// or CR are fine.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dataset/manifest_form.h"
#include "dataset/problem.h"
#include "dataset/text_use.h"

namespace qanat {

// Views into the bytes the parser was given; trimmed, well-formed UTF-8. `audio` is not empty, and
// neither is `text` where tokens are made of it.
struct ManifestRow {
  int line = 0;
  std::string_view audio;  // an id or a path
  std::string_view id{};   // empty: the name of the audio
  std::string_view text;
  std::string_view speaker;
  std::string_view language;
};

// Value; not thread-safe. `bytes` have to outlive it and its rows.
class ManifestParser {
 public:
  explicit ManifestParser(std::string_view bytes, TextUse text = TextUse::tokens);

  // The next row that can be used; rows that cannot are skipped and found in problems().
  std::optional<ManifestRow> next();

  const std::vector<DatasetProblem>& problems() const { return problems_; }
  // It cannot be told which column is the text. Known once a row was asked for.
  bool is_ambiguous() const { return form_ == ManifestForm::cannot_tell; }

 private:
  std::optional<std::string_view> next_line();
  bool take_header();
  void take_form(std::string_view rows);
  std::optional<ManifestRow> parse_row(std::string_view line);
  void split(std::string_view line);
  std::string_view cell(int column) const;
  void report(ProblemKind kind, std::string_view id, Message detail);

  std::string_view rest_;
  TextUse text_use_;
  char line_end_ = '\n';
  int line_ = 0;
  bool may_be_header_ = true;
  ManifestForm form_ = ManifestForm::texts;
  ManifestColumns columns_;
  std::vector<std::string_view> cells_;
  std::vector<DatasetProblem> problems_;
};

// Why the file as a whole cannot be a manifest (UTF-16, binary); nothing when it can. A zero byte
// here and there is a matter of its row.
std::optional<Message> foreign_encoding(std::string_view bytes);

}  // namespace qanat
