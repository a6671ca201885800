// Rows that a caller hands over instead of a manifest file: checked and made a Manifest like one
// that was read, so that everything behind it does not know the difference. Pure, but for asking
// whether files are there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "dataset/manifest.h"
#include "dataset/text_use.h"

namespace qanat {

struct GivenRow {
  std::string id;     // unique; rows that repeat one are left out
  std::string audio;  // a file, or what to call audio that is no file of its own
  bool is_file = true;
  std::string text;      // UTF-8
  std::string speaker;   // empty: not said
  std::string language;  // empty: by the script of the text
  SplitHint split = SplitHint::none;
};

struct GivenRowOptions {
  std::filesystem::path root;           // relative names of files begin here
  std::optional<LanguageTag> language;  // of rows that do not say
  TextUse text = TextUse::tokens;
};

// Utterance::line is the position of its row, from 1. Throws Error when no row can be used.
Manifest make_manifest(std::vector<GivenRow> rows, const GivenRowOptions& options);

}  // namespace qanat
