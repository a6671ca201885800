// Any bytes as a manifest: rows and problems come out, each row keeps its promises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/utf8.h"
#include "dataset/manifest_parser.h"
#include "dataset/script.h"
#include "locale/translator.h"

namespace {

void check_row(const qanat::ManifestRow& row, int last_line) {
  QANAT_CHECK(row.line > last_line) << row.line;
  QANAT_CHECK(!row.audio.empty() && !row.text.empty()) << "line " << row.line;
  for (const std::string_view cell : {row.audio, row.text, row.speaker, row.language}) {
    QANAT_CHECK(!qanat::first_invalid_utf8(cell)) << "line " << row.line;
    QANAT_CHECK(cell.find('|') == std::string_view::npos) << "line " << row.line;
    QANAT_CHECK(cell.find('\0') == std::string_view::npos) << "line " << row.line;
    QANAT_CHECK(qanat::excerpt(cell, 5).size() <= cell.size() + 3) << "line " << row.line;
  }
  qanat::script_of(row.text);
  qanat::describe_character(row.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  qanat::foreign_encoding(bytes);
  qanat::ManifestParser parser(bytes);
  int line = 0;
  while (const std::optional<qanat::ManifestRow> row = parser.next()) {
    check_row(*row, line);
    line = row->line;
  }
  for (const qanat::DatasetProblem& problem : parser.problems()) {
    QANAT_CHECK(!qanat::first_invalid_utf8(problem.id)) << "line " << problem.line;
    QANAT_CHECK(!qanat::first_invalid_utf8(qanat::Translator().said(problem.detail)))
        << "line " << problem.line;
  }
  return 0;
}
