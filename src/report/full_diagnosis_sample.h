// A diagnosis with sections, findings and checks, for the tests of its report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locale/messages.h"
#include "report/full_diagnosis.h"

namespace qanat {

inline Finding sample_finding(const char* id,
                              FindingSeverity severity,
                              double speedup,
                              std::vector<Fix> fixes) {
  return {.id = id,
          .title = std::string("what ") + id + " says",
          .severity = severity,
          .evidence = {{.metric = "share", .value = 0.5, .unit = "1"}},
          .gain = {.step_now = 0.1,
                   .step_if_fixed = 0.1 / speedup,
                   .speedup = speedup,
                   .ci95 = {.low = 1, .high = speedup}},
          .fixes = std::move(fixes),
          .verify = "qanat diagnose --verify X"};
}

inline FullDiagnosis full_diagnosis() {
  FullDiagnosis full{.measured = true};
  full.sections = {
      {.key = "hardware",
       .title = msg::diagnose_hardware{},
       .facts = {{.key = "cores", .name = msg::host_cores{}, .value = 2},
                 {.name = msg::host_memory_limit{}, .value = msg::host_no_limit{}}}},
      {.key = "storage", .title = msg::diagnose_storage{}, .skipped = msg::diagnose_no_data{}}};
  full.diagnosis.verdict = VerdictKind::input_bound;
  full.diagnosis.why = "too few workers";
  full.diagnosis.findings = {
      sample_finding(
          "DL002",
          FindingSeverity::crit,
          1.5,
          {{.key = "data.num_workers", .flag = "--num-workers 3", .predicted_step = 0.07}}),
      sample_finding(
          "DL007",
          FindingSeverity::warn,
          1.1,
          {{.key = "pipeline.bucket_edges", .flag = "--set pipeline.bucket_edges=16 (or 8)"}}),
      sample_finding("DL005",
                     FindingSeverity::warn,
                     1.05,
                     {{.key = "data.num_workers", .flag = "--num-workers 9"}}),
      sample_finding("HOST008",
                     FindingSeverity::warn,
                     1,
                     {{.key = std::string(kSystemFix), .flag = "sudo cpupower"}}),
      sample_finding("CMP001",
                     FindingSeverity::info,
                     1.2,
                     {{.key = "data.batch_size", .flag = "--batch-size 32"}})};
  full.diagnosis.passed = {{.id = "HOST002", .what = "no quota"}};
  full.diagnosis.skipped = {{.id = "HW004", .reason = "no GPU"}};
  return full;
}

}  // namespace qanat
