// The words that all forms of the data set report share. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "dataset/dataset_report.h"
#include "report/words.h"

namespace qanat {

// How a renderer says things: in which language, and how it writes what the data set holds.
struct DatasetWording {
  Words words{};
  std::string (*clean)(std::string_view) = nullptr;  // before it is isolated; none: as it is
};

// "23.9 h", "3.7 min", "42 s": three figures, the unit that fits.
std::string duration_words(Seconds duration, const Words& words = Words());
// "0-0.5 s"
std::string bin_name(const HistogramBin& bin, const Words& words = Words());
// "metadata.csv:12", or the file alone where the problem is the file's.
std::string place_of(const DatasetReport& report, const DatasetProblem& problem);
// "3 x in 2 utterances, first in metadata.csv:12 a17".
std::string occurrence_words(const DatasetReport& report,
                             const UnknownCharacter& character,
                             const DatasetWording& wording = {});
// "Errors: these rows would not be used"
std::string_view heading(Severity severity);

// One sentence: whether a run can use the set, and what it would lose.
std::string verdict(const DatasetReport& report, const DatasetWording& wording = {});

// What is in the set, as lines of name and value.
struct FactLine {
  std::string name;
  std::string value;

  bool operator==(const FactLine&) const = default;
};
std::vector<FactLine> facts_of(const DatasetReport& report, const DatasetWording& wording = {});

}  // namespace qanat
