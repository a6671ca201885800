// A diagnosis with sections, findings and checks, for the tests of its report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "locale/messages/findings_data.h"
#include "locale/messages/findings_host.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/verdicts.h"
#include "report/full_diagnosis.h"

namespace qanat {

inline Finding sample_finding(const char* id,
                              FindingSeverity severity,
                              double speedup,
                              std::vector<Fix> fixes) {
  return {.id = id,
          .title = msg::verbatim_text{.text = std::string("what ") + id + " says"},
          .severity = severity,
          .evidence = {{metric::padding_share, 0.5}},
          .gain = {.step_now = 0.1,
                   .step_if_fixed = 0.1 / speedup,
                   .speedup = speedup,
                   .ci95 = {.low = 1, .high = speedup}},
          .fixes = std::move(fixes),
          .verify = msg::verbatim_text{.text = "qanat diagnose --verify X"}};
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
  full.diagnosis.why = msg::cause_few_workers{};
  full.diagnosis.findings = {
      sample_finding("DL002",
                     FindingSeverity::crit,
                     1.5,
                     {{.key = "data.num_workers", .value = "3", .predicted_step = 0.07}}),
      sample_finding(
          "DL007", FindingSeverity::warn, 1.1, {{.key = "pipeline.bucket_edges", .value = "16"}}),
      sample_finding(
          "DL005", FindingSeverity::warn, 1.05, {{.key = "data.num_workers", .value = "9"}}),
      sample_finding("HOST008",
                     FindingSeverity::warn,
                     1,
                     {{.action = msg::verbatim_text{.text = "sudo cpupower"}}}),
      sample_finding(
          "CMP001", FindingSeverity::info, 1.2, {{.key = "data.batch_size", .value = "32"}})};
  full.diagnosis.passed = {{.id = "HOST002", .what = msg::host001_no_quota{}}};
  full.diagnosis.skipped = {{.id = "HW004", .reason = msg::missing_gpu{}, .missing = Missing::gpu}};
  return full;
}

}  // namespace qanat
