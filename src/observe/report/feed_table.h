// How well a device is fed in every mode: a device whose step takes a given time and no host core,
// so that what differs is the way batches come. For a terminal, a program and a page. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/time.h"
#include "diagnose/run_comparison.h"
#include "report/document.h"

namespace qanat {

// One turn of one way to load.
struct FeedTurn {
  double steps_per_s = 0;
  double wait_share = 0;  // of the step time, for data
  double readiness = 0;   // share of steps that waited less than kFeltShare of a step
  double cores = 0;       // CPU time over wall time
  std::optional<double> others_share{};  // of the cores, taken by other programs
};
inline constexpr double kFeltShare = 0.05;

struct FeedRow {
  std::string name;
  std::string chart_name{};             // of its row in the chart, for all storage; empty: its name
  std::string flags{};                  // of `qanat train`; empty: none are needed
  std::vector<FeedTurn> turns{};        // one of each round
  std::optional<MessageArg> skipped{};  // why there are none
};

// The same rows for one kind of storage; the first row is what the others are compared with.
struct FeedPart {
  Seconds delay{0};  // that every file answers late; none: warm files
  std::vector<FeedRow> rows{};
};

struct FeedTable {
  Seconds step{0.045};
  int batch = 32;  // utterances
  std::vector<FeedPart> parts{};
};

// The median of each figure over the turns; nothing for a row that was skipped.
std::optional<FeedTurn> typical_turn(const FeedRow& row);
RunComparison compare_feeds(const FeedRow& row, const FeedRow& first);

// Steps per second of every mode, beside the device's own pace; nothing when nothing was measured.
std::optional<Figure> feed_figure(const FeedTable& table, const Translator& words);

// A section for the device and its chart, and one for each kind of storage.
Document to_document(const FeedTable& table);
nlohmann::ordered_json to_json(const FeedTable& table);
// The sections of a page.
std::string render_sections(const FeedTable& table, const Translator& words);

}  // namespace qanat
