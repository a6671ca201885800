// The way of each batch over the devices, as the journal tells it: when it was loaded, staged,
// prepared, copied and trained on. For profiles of two devices.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace qanat {

// Seconds since the ring started.
struct StageSpan {
  double begin = 0;
  double end = 0;

  double length() const { return end - begin; }
};

// A stage that does not exist in a mode is absent.
struct SlotRow {
  std::optional<StageSpan> load{};
  std::optional<StageSpan> stage{};
  std::optional<StageSpan> prepare{};
  std::optional<StageSpan> copy{};
  std::optional<StageSpan> train{};
};

struct SlotTrace {
  std::deque<SlotRow> rows{};  // of the last session, the latest ones when there are very many
  int damaged_lines = 0;

  static constexpr std::size_t kMostRows = 100'000;

  // Takes one line of a journal; lines of other kinds are passed over.
  void add(const nlohmann::json& line);
};

// Fails when the journal cannot be read.
Result<SlotTrace> read_slot_trace(const std::filesystem::path& journal);

}  // namespace qanat
