// Parses the rows of a manifest from arbitrary bytes. Does no file access.
//
// Rows are `id|text`, `id|text|normalised`, and with a fourth and fifth column speaker and
// language; or `id|speaker|text`, which three_column_form() tells from the others; a header names
// its columns itself and may leave out or reorder them. Cells are split at '|' only: quotation
// marks mean themselves. A byte order mark, blank lines, and lines that end in LF, CRLF or CR are
// fine.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "dataset/problem.h"

namespace qanat {

// What the second of three columns is, in a manifest without a header: `id|text|normalised`, as
// LJSpeech has it, or `id|speaker|text`, as Piper has it for several speakers.
enum class ManifestForm {
  texts,        // id|text|normalised
  speakers,     // id|speaker|text
  cannot_tell,  // a name and a sentence, or a word and its reading
};

// `rows` are the lines of the manifest; the first thousand decide. A text shares words with its
// normalised form; a speaker name repeats with other texts. Without such evidence, a second cell
// that contains a blank is a text; anything else is not guessed.
ManifestForm three_column_form(std::string_view rows, char line_end);

// Views into the bytes the parser was given; trimmed, well-formed UTF-8; `audio` and `text` are
// not empty.
struct ManifestRow {
  int line = 0;
  std::string_view audio;  // an id or a path
  std::string_view text;
  std::string_view speaker;
  std::string_view language;
};

// Which cell of a row is what.
struct ManifestColumns {
  static constexpr int kAbsent = -1;

  int audio = 0;
  int text = 1;
  int normalised = 2;
  int speaker = 3;
  int language = 4;
  int least = 2;  // cells a row has to have
  int most = 5;   // cells a row may have
};

// Value; not thread-safe. `bytes` have to outlive it and its rows.
class ManifestParser {
 public:
  explicit ManifestParser(std::string_view bytes);

  // The next row that can be used; rows that cannot are skipped and found in problems().
  std::optional<ManifestRow> next();

  const std::vector<DatasetProblem>& problems() const { return problems_; }
  // The rows have three columns and could be read either way. Known once a row was asked for.
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
