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
  RunSummary summary;
  bool disturbed = false;  // by programs that are not part of the fault
};

// Everything the runs have in common.
class Workbench {
 public:
  explicit Workbench(const SelftestRequest& request) : request_(request), corpus_(request.folder) {}

  BenchRun run(const FaultyRun& faulty) {
    const HostCounters before = read_host_counters(kRoot);
    const Clock::time_point begin = Clock::now();
    BenchRun run{.summary = run_faulty(faulty)};
    const Reading<Neighbours> others =
        measure_neighbours(before, read_host_counters(kRoot), seconds_since(begin), cores_);
    run.disturbed = faulty.spinning_processes == 0 && others && (*others).is_busy();
    return run;
  }

 private:
  RunSummary run_faulty(const FaultyRun& faulty) {
    const RunConfig config = configure(faulty);
    StallingObserver observer({.save_every = config.training.save_every,
                               .save = faulty.stalls.save,
                               .log_every = config.training.log_every.value_or(0),
                               .log = faulty.stalls.log});
    const SpinningThreads threads(faulty.spinning_threads);
    const SpinningProcesses processes(faulty.spinning_processes, kLongestNeighbour);
    LoaderRequest loader = corpus_.loader();
    loader.around_source = [&faulty](std::unique_ptr<RowSource> rows) {
      return with_faults(std::move(rows), faulty.rows);
    };
    return run_paced({.config = config,
                      .loader = std::move(loader),
                      .cost = faulty.cost,
                      .link = faulty.link,
                      .steps = faulty.steps,
                      .observer = observer,
                      .journal = request_.folder / "journal.jsonl",
                      .stop = request_.stop});
  }

  RunConfig configure(const FaultyRun& faulty) const {
    ConfigRequest request{.file = std::nullopt, .sets = corpus_.sets(), .flags = {}};
    request.sets.insert(request.sets.end(), faulty.sets.begin(), faulty.sets.end());
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
std::optional<FaultyRun> with_fix(const FaultyRun& run, const Finding& finding) {
  const auto fix = std::ranges::find_if(finding.fixes, [](const Fix& candidate) {
    return candidate.is_setting() && candidate.predicted_step;
  });
  if (fix == finding.fixes.end()) {
    return std::nullopt;
  }
  FaultyRun fixed = run;
  fixed.sets.push_back(fix->key + "=" + fix->value);
  return fixed;
}

// The first prediction of the finding, which is what `remedy` will be measured against.
std::optional<double> prediction_of(const Finding& finding, Remedy remedy) {
  for (const Fix& fix : finding.fixes) {
    if (fix.predicted_step && (remedy == Remedy::remove_fault || fix.is_setting())) {
      return fix.predicted_step;
    }
  }
  return remedy == Remedy::remove_fault ? std::optional(finding.gain.step_if_fixed) : std::nullopt;
}

void try_remedy(Workbench& bench,
                const InjectedFault& fault,
                const Finding& finding,
                SelftestRow& row) {
  const std::optional<FaultyRun> fixed = fault.remedy == Remedy::apply_fix
                                             ? with_fix(fault.run, finding)
                                             : std::optional(without_fault(fault.run));
  row.predicted = prediction_of(finding, fault.remedy);
  if (fixed && row.predicted) {
    const BenchRun again = bench.run(*fixed);
    row.realised = measure_run(again.summary).mean_step;
    row.disturbed = row.disturbed || again.disturbed;
  }
}

SelftestRow judge(Workbench& bench, const InjectedFault& fault) {
  BenchRun run = bench.run(fault.run);
  if (fault.pretend) {
    fault.pretend(run.summary);
  }
  const Diagnosis diagnosis = diagnose_run(run.summary);
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
  if (row.right && first != nullptr && fault.remedy != Remedy::none) {
    try_remedy(bench, fault, *first, row);
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

bool has_fault(const SelftestRow& row) {
  return row.is_judged() && !row.is_healthy();
}

bool is_healthy(const SelftestRow& row) {
  return row.is_judged() && row.is_healthy();
}

bool is_wanted(const SelftestRequest& request, const InjectedFault& fault) {
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
  return share_of(rows, has_fault, [](const SelftestRow& row) { return row.right; });
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
  const bool any = std::ranges::any_of(rows, has_fault);
  return (!any || right_share() >= 0.9) && false_alarm_share() <= 0.05 &&
         median_error().value_or(0) <= 0.05;
}

bool SelftestReport::too_busy() const {
  return std::ranges::any_of(rows, [](const SelftestRow& row) { return !row.is_judged(); });
}

SelftestReport run_selftest(const SelftestRequest& request) {
  std::vector<InjectedFault> faults = injected_faults(request.size);
  std::erase_if(faults, [&](const InjectedFault& fault) { return !is_wanted(request, fault); });
  Workbench bench(request);
  SelftestReport report;
  for (const InjectedFault& fault : faults) {
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
