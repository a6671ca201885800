#include "selftest/selftest.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/loader_options.h"
#include "config/load_config.h"
#include "locale/translator.h"
#include "metrics/order_statistics.h"
#include "monitor/host_setup.h"
#include "monitor/neighbours.h"
#include "selftest/selftest_corpus.h"

namespace qanat {
namespace {

constexpr Seconds kLongestNeighbour{60};

constexpr const char* kRoot = "/";

struct BenchRun {
  RunTrace trace;
  bool disturbed = false;  // by programs that were not planted
};

// Everything the runs have in common.
class Workbench {
 public:
  explicit Workbench(const SelftestRequest& request) : request_(request), corpus_(request.folder) {}

  BenchRun run(const PlantedRun& planted) {
    const HostCounters before = read_host_counters(kRoot);
    const Clock::time_point begin = Clock::now();
    BenchRun run{.trace = run_planted(planted)};
    const Reading<Neighbours> others =
        measure_neighbours(before, read_host_counters(kRoot), seconds_since(begin), cores_);
    run.disturbed = planted.spinning_processes == 0 && others && (*others).is_busy();
    return run;
  }

 private:
  RunTrace run_planted(const PlantedRun& planted) {
    const RunConfig config = configure(planted);
    StallingObserver observer({.save_every = config.training.save_every,
                               .save = planted.stalls.save,
                               .log_every = config.training.log_every.value_or(0),
                               .log = planted.stalls.log});
    const SpinningThreads threads(planted.spinning_threads);
    const SpinningProcesses processes(planted.spinning_processes, kLongestNeighbour);
    LoaderRequest loader = corpus_.loader();
    loader.around_source = [&planted](std::unique_ptr<RowSource> rows) {
      return with_faults(std::move(rows), planted.rows);
    };
    return run_paced({.config = config,
                      .loader = std::move(loader),
                      .cost = planted.cost,
                      .link = planted.link,
                      .steps = planted.steps,
                      .observer = observer,
                      .journal = request_.folder / "journal.jsonl",
                      .stop = request_.stop});
  }

  RunConfig configure(const PlantedRun& planted) const {
    ConfigRequest request{.file = std::nullopt, .sets = corpus_.sets(), .flags = {}};
    request.sets.insert(request.sets.end(), planted.sets.begin(), planted.sets.end());
    return load_config(request).values;
  }

  const SelftestRequest& request_;
  SelftestCorpus corpus_;
  const Reading<double> cores_ = read_host_setup(kRoot, {}).online_cores;
};

const Finding* first_warning(const Diagnosis& diagnosis) {
  const auto found = std::ranges::find_if(diagnosis.findings, [](const Finding& finding) {
    return finding.severity != FindingSeverity::info;
  });
  return found != diagnosis.findings.end() ? &*found : nullptr;
}

// What the first fix changes; nothing when no key of the configuration does it.
std::optional<PlantedRun> with_fix(const PlantedRun& run, const Finding& finding) {
  const auto fix = std::ranges::find_if(finding.fixes, [](const Fix& candidate) {
    return candidate.is_setting() && candidate.predicted_step;
  });
  if (fix == finding.fixes.end()) {
    return std::nullopt;
  }
  PlantedRun cured = run;
  cured.sets.push_back(fix->key + "=" + fix->value);
  return cured;
}

// The first prediction of the finding, which is what `cure` will be measured against.
std::optional<double> prediction_of(const Finding& finding, Cure cure) {
  for (const Fix& fix : finding.fixes) {
    if (fix.predicted_step && (cure == Cure::remove_fault || fix.is_setting())) {
      return fix.predicted_step;
    }
  }
  return cure == Cure::remove_fault ? std::optional(finding.gain.step_if_fixed) : std::nullopt;
}

void cure(Workbench& bench, const PlantedFault& fault, const Finding& finding, SelftestRow& row) {
  const std::optional<PlantedRun> cured = fault.cure == Cure::apply_fix
                                              ? with_fix(fault.run, finding)
                                              : std::optional(without_fault(fault.run));
  row.predicted = prediction_of(finding, fault.cure);
  if (cured && row.predicted) {
    const BenchRun again = bench.run(*cured);
    row.realised = measure_run(again.trace).mean_step;
    row.disturbed = row.disturbed || again.disturbed;
  }
}

SelftestRow judge(Workbench& bench, const PlantedFault& fault) {
  BenchRun run = bench.run(fault.run);
  if (fault.pretend) {
    fault.pretend(run.trace);
  }
  const Diagnosis diagnosis = diagnose_run(run.trace);
  SelftestRow row{.fault = fault.name,
                  .strength = fault.strength,
                  .expected = fault.expected,
                  .found = {},
                  .title = {},
                  .disturbed = run.disturbed,
                  .step_now = diagnosis.measures.mean_step};
  const Finding* const first = first_warning(diagnosis);
  if (first != nullptr) {
    row.found = first->id;
    row.title = Translator().tr(first->title);
  }
  row.right = fault.expected.empty()
                  ? first == nullptr
                  : std::ranges::find(fault.expected, row.found) != fault.expected.end();
  if (row.right && first != nullptr && fault.cure != Cure::none) {
    cure(bench, fault, *first, row);
  }
  return row;
}

template <typename Counts, typename Is>
double share_of(const std::vector<SelftestRow>& rows, Counts&& counts, Is&& is) {
  double all = 0;
  double found = 0;
  for (const SelftestRow& row : rows) {
    all += counts(row) ? 1 : 0;
    found += counts(row) && is(row) ? 1 : 0;
  }
  return all > 0 ? found / all : 0;
}

bool is_planted(const SelftestRow& row) {
  return row.is_judged() && !row.is_healthy();
}

bool is_healthy(const SelftestRow& row) {
  return row.is_judged() && row.is_healthy();
}

bool is_wanted(const SelftestRequest& request, const PlantedFault& fault) {
  return request.only.empty() || std::ranges::find(request.only, fault.name) != request.only.end();
}

}  // namespace

std::optional<double> SelftestRow::error() const {
  if (!predicted || !realised || !(*realised > 0)) {
    return std::nullopt;
  }
  return std::abs(*predicted - *realised) / *realised;
}

double SelftestReport::right_share() const {
  return share_of(rows, is_planted, [](const SelftestRow& row) { return row.right; });
}

double SelftestReport::false_alarm_share() const {
  return share_of(rows, is_healthy, [](const SelftestRow& row) { return !row.right; });
}

std::optional<double> SelftestReport::median_error() const {
  std::vector<double> errors;
  for (const SelftestRow& row : rows) {
    if (const std::optional<double> error = row.error(); error && !row.disturbed) {
      errors.push_back(*error);
    }
  }
  return errors.empty() ? std::nullopt : std::optional(median(errors));
}

bool SelftestReport::passed() const {
  const bool any = std::ranges::any_of(rows, is_planted);
  return (!any || right_share() >= 0.9) && false_alarm_share() <= 0.05 &&
         median_error().value_or(0) <= 0.05;
}

bool SelftestReport::too_busy() const {
  return std::ranges::any_of(rows, [](const SelftestRow& row) { return !row.is_judged(); });
}

SelftestReport run_selftest(const SelftestRequest& request) {
  std::vector<PlantedFault> faults = planted_faults(request.size);
  std::erase_if(faults, [&](const PlantedFault& fault) { return !is_wanted(request, fault); });
  Workbench bench(request);
  SelftestReport report;
  for (const PlantedFault& fault : faults) {
    if (request.stop.stop_requested()) {
      break;
    }
    report.rows.push_back(judge(bench, fault));
    if (request.on_row) {
      request.on_row(report.rows.back());
    }
    if (request.progress) {
      request.progress(static_cast<std::int64_t>(report.rows.size()),
                       static_cast<std::int64_t>(faults.size()));
    }
  }
  return report;
}

}  // namespace qanat
