#include "diagnose/slot_trace.h"

#include "metrics/journal.h"

namespace qanat {
namespace {

std::optional<StageSpan> span_in(const nlohmann::json& line, const char* name) {
  const auto found = line.find(name);
  if (found == line.end()) {
    return std::nullopt;
  }
  return StageSpan{.begin = found->at(0).get<double>(), .end = found->at(1).get<double>()};
}

}  // namespace

void SlotTrace::add(const nlohmann::json& line) {
  try {
    const std::string kind = line.value("kind", "");
    if (kind == "journal" && !line.contains("continues")) {
      *this = SlotTrace{.damaged_lines = damaged_lines};
    } else if (kind == "slot") {
      rows.push_back({.load = span_in(line, "load"),
                      .stage = span_in(line, "stage"),
                      .prepare = span_in(line, "prepare"),
                      .copy = span_in(line, "copy"),
                      .train = span_in(line, "train")});
      if (rows.size() > kMostRows) {
        rows.pop_front();
      }
    }
  } catch (const nlohmann::json::exception&) {
    ++damaged_lines;
  }
}

Result<SlotTrace> read_slot_trace(const std::filesystem::path& journal) {
  SlotTrace trace;
  const Result<int> damaged =
      visit_journal(journal, [&trace](const nlohmann::json& line) { trace.add(line); });
  if (!damaged) {
    return damaged.failure();
  }
  trace.damaged_lines += damaged.value();
  return trace;
}

}  // namespace qanat
