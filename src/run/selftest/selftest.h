// Do the tools find what is wrong? Known faults are injected into runs of the real loader, ring and
// journal, the runs are diagnosed, fixed as the diagnosis says, and run again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "diagnose/diagnosis.h"
#include "report/document.h"
#include "selftest/selftest_faults.h"

namespace qanat {

struct SelftestRow {
  std::string fault;
  std::string strength;
  std::vector<std::string> expected;  // rules; empty: nothing
  std::string found;                  // the first finding that warns; empty: none did
  std::string title;                  // of it
  bool right = false;
  bool disturbed = false;             // other programs kept the machine busy meanwhile
  double step_now = 0;                // s
  std::optional<double> predicted{};  // s, with the fix
  std::optional<double> realised{};   // s, measured with the fix

  bool is_healthy() const { return expected.empty(); }
  // A wrong answer on a busy machine says nothing about the diagnosis.
  bool is_judged() const { return right || !disturbed; }
  // The prediction's, relative to what was measured.
  std::optional<double> error() const;
};

struct SelftestReport {
  std::vector<SelftestRow> rows;

  // These cover the runs that could be judged.
  double right_share() const;  // of the faults
  double false_alarm_share() const;
  std::optional<double> median_error() const;
  // At least nine in ten faults found first, at most one false alarm in twenty healthy runs, and
  // predictions within a twentieth by the median.
  bool passed() const;
  // Other programs kept some runs from being judged.
  bool too_busy() const;
};

struct SelftestRequest {
  SelftestSize size = SelftestSize::quick;
  std::filesystem::path folder;     // for a small corpus and journals; made, and left
  std::vector<std::string> only{};  // names of faults; empty: all
  std::function<void(const SelftestRow&)> on_row{};
  ProgressFn progress{};
  std::stop_token stop{};
};

// Fewer rows when stopped.
SelftestReport run_selftest(const SelftestRequest& request);

// Its runs, and the shares that decide.
Document to_document(const SelftestReport& report);

}  // namespace qanat
