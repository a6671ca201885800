// Any bytes as a table and as JSON Lines: cells and rows come out, lines only grow.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dataset/column_names.h"
#include "dataset/json_rows.h"
#include "dataset/table_parser.h"
#include "locale/translator.h"

namespace {

void read_table(std::string_view bytes, qanat::TableForm form) {
  qanat::TableParser parser(bytes, form);
  int line = 0;
  std::size_t size = 0;
  while (parser.next()) {
    QANAT_CHECK(parser.line() > line) << parser.line();
    QANAT_CHECK(!parser.cells().empty());
    line = parser.line();
    for (const std::string& cell : parser.cells()) {
      size += cell.size();
    }
    if (line < 3) {
      const auto columns = qanat::find_columns(parser.cells(), {});
      QANAT_CHECK(columns.ok());
    }
  }
  QANAT_CHECK(size <= bytes.size()) << size;
}

void read_line(std::string_view line) {
  const qanat::ParsedJson row = qanat::parse_json_row(line, {});
  if (const auto* const refused = std::get_if<qanat::JsonRefusal>(&row)) {
    qanat::Translator().said(refused->detail);
  }
  qanat::parse_json_recording(line);
  qanat::parse_json_supervision(line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_table(bytes, qanat::table_form(bytes).value_or(qanat::TableForm{}));
  read_table(bytes, {.separator = '\t', .has_quotes = false});
  read_line(bytes);
  const auto choice = qanat::parse_column_choice(bytes);
  QANAT_CHECK(choice.ok() || !choice.failure().what.empty());
  return 0;
}
