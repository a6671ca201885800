// Parses comma- and tab-separated files from arbitrary bytes, as spreadsheets and pandas write
// them. Does no file access.
//
// A cell that begins with a quotation mark ends at the next lone one; two stand for one. A mark
// that does not close its cell means itself, so that one stray mark does not swallow the file. In
// tab files a cell ends with its line in any case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qanat {

struct TableForm {
  char separator = ',';
  bool has_quotes = true;
};

// Whether the first line looks like cells of a table, and not like a list with `|`: which separator
// it has most of. Nothing: none.
std::optional<TableForm> table_form(std::string_view bytes);

// Value; not thread-safe. `bytes` have to outlive it.
class TableParser {
 public:
  TableParser(std::string_view bytes, TableForm form);

  // Moves to the next record that is not blank.
  bool next();

  // The cells of the present record; trimmed where they are not quoted.
  const std::vector<std::string>& cells() const { return cells_; }
  int line() const { return line_; }

 private:
  void read_cell();
  bool read_quoted();
  void skip_line_end();

  std::string_view rest_;
  TableForm form_;
  int line_ = 0;
  int next_line_ = 1;
  std::vector<std::string> cells_;
};

}  // namespace qanat
