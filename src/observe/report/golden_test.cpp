// Every report of a sample, in every format and language.
#include <string>

#include <gtest/gtest.h>

#include "diagnose/diagnosis.h"
#include "diagnose/ranks_testing.h"
#include "history/run_sample.h"
#include "report/dataset_document.h"
#include "report/dataset_report_sample.h"
#include "report/demo_sample.h"
#include "report/full_diagnosis.h"
#include "report/full_diagnosis_sample.h"
#include "report/golden_testing.h"
#include "report/profile_report.h"
#include "report/profile_sample.h"
#include "report/run_html.h"
#include "report/run_json.h"
#include "report/run_text.h"

namespace qanat {
namespace {

const Translator kEnglishWords;
const Translator kPersianWords(Language::fa);

void expect_document(const std::string& name, const Document& document) {
  expect_golden(name + ".en.txt", render_text(document, kEnglishWords));
  expect_golden(name + ".fa.txt", render_text(document, kPersianWords));
  expect_golden(name + ".json", render_json(document).dump(2) + "\n");
}

template <typename Report>
void expect_texts(const std::string& name, const Report& report) {
  expect_golden(name + ".en.txt", render_text(report, kEnglishWords));
  expect_golden(name + ".fa.txt", render_text(report, kPersianWords));
  expect_golden(name + ".json", to_json(report).dump(2) + "\n");
}

TEST(GoldenTest, StepProfile) {
  expect_document("step_profile", to_document(step_profile()));
}

TEST(GoldenTest, DataProfile) {
  expect_document("data_profile", to_document(data_profile()));
}

TEST(GoldenTest, Sweep) {
  expect_document("sweep", to_document(sweep_report()));
}

TEST(GoldenTest, DualProfile) {
  expect_document("dual_profile", to_document(dual_profile()));
}

TEST(GoldenTest, FullDiagnosis) {
  expect_texts("full_diagnosis", full_diagnosis());
}

// Three ranks, one of which has a slow disk; then one whose gradients take long.
TEST(GoldenTest, Ranks) {
  expect_texts("straggler",
               diagnose_run(make_ranks({.world = 3, .slow_rank = 1, .slow_data = 0.03})));
  expect_texts("exchange", diagnose_run(make_ranks({.world = 2, .wire = 0.12, .exposed = 0.08})));
}

TEST(GoldenTest, Dataset) {
  const DatasetReport report = sample_report();
  for (const Translator& words : {kEnglishWords, kPersianWords}) {
    const std::string name = "dataset." + std::string(to_string(words.language()));
    expect_golden(name + ".txt", render_text(to_document(report, 2), words));
    expect_golden(
        name + ".html",
        page_body(render_html(report, {.file = "/data/check.html", .list_limit = 2}, words)));
  }
  expect_golden("dataset.json", to_text(render_json(to_document(report))));
}

// The whole page of a run, with something of everything.
TEST(GoldenTest, RunPage) {
  RunRecord record = sample_record(40);
  record.add(
      entry_of({{"kind", "render"},
                {"t", 5.0},
                {"step", 40},
                {"folder", "renders/step-000000040"},
                {"vocoder", "griffin-lim"},
                {"sentences",
                 {{{"text", "Water."},
                   {"seconds", 0.5},
                   {"symbols", {{{"symbol", ""}, {"end", 0.1}}, {{"symbol", "w"}, {"end", 0.5}}}},
                   {"recording", "recording-0123456789abcdef.wav"}}}},
                {"axis", {{{"hz", 0.0}, {"at", 0.0}}, {{"hz", 4000.0}, {"at", 0.75}}}}}));
  const Diagnosis diagnosis = diagnose_run(record.summary);
  for (const Translator& words : {kEnglishWords, kPersianWords}) {
    expect_golden("run." + std::string(to_string(words.language())) + ".html",
                  page_body(render_html(
                      RunView{.summary = record.summary,
                              .history = record.history,
                              .diagnosis = diagnosis,
                              .words = words,
                              .files = files_beside("run/journal.jsonl", "run/report.html")})));
  }
}

TEST(GoldenTest, Demo) {
  expect_golden("modes.en.txt", render_text(to_document(three_modes())));
  expect_golden("modes.fa.txt", render_text(to_document(three_modes()), kPersianWords));
  expect_golden("modes.json", to_json(three_modes()).dump(2) + "\n");
  expect_golden("feed.en.txt", render_text(to_document(fed_table())));
  expect_golden("feed.fa.txt", render_text(to_document(fed_table()), kPersianWords));
  expect_golden("feed.json", to_json(fed_table()).dump(2) + "\n");
  for (const Translator& words : {kEnglishWords, kPersianWords}) {
    expect_golden(
        "demo." + std::string(to_string(words.language())) + ".html",
        page_body(render_html(three_modes(), render_sections(fed_table(), words), words)));
  }
}

}  // namespace
}  // namespace qanat
