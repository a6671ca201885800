// The same training in several modes, side by side: what each got out of the machine, for a
// terminal, a program and a page. Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "diagnose/dual_profile.h"
#include "report/document.h"

namespace qanat {

struct ModeRow {
  std::string name{};
  ModeProfile profile{};      // of all turns
  std::vector<Turn> turns{};  // one of each round
  Diagnosis diagnosis{};
  std::optional<Bytes> memory{};   // most of the program's that was resident; absent: unknown
  bool emulated = false;           // its devices are virtual GPUs
  std::filesystem::path folder{};  // with its journal and page, as seen from the table's own
};

// One line per mode, then the verdict of each, then how the others compare with the first.
Document to_document(std::span<const ModeRow> rows);
// An array, one object per mode.
nlohmann::ordered_json to_json(std::span<const ModeRow> rows);
// A page that links to the pages of the modes; `before` are sections that stand above.
std::string render_html(std::span<const ModeRow> rows,
                        const std::string& before,
                        const Translator& words);

}  // namespace qanat
