// Any lines as a journal, made into everything that is shown of a run: the page, what Prometheus
// scrapes, and both forms of trace. Whatever the lines hold, nothing of it acts on a page.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/files.h"
#include "diagnose/diagnosis.h"
#include "history/run_history.h"
#include "metrics/run_snapshot.h"
#include "report/run_html.h"
#include "telemetry/prometheus.h"
#include "telemetry/run_tracer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(bytes), size);
  qanat::RunRecord record;
  qanat::RunSnapshot snapshot;
  qanat::RunTracer perfetto({.format = qanat::TraceFormat::perfetto, .budget = qanat::Bytes{4096}});
  qanat::RunTracer chrome({.format = qanat::TraceFormat::json, .budget = qanat::Bytes{4096}});
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const nlohmann::json line = nlohmann::json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.is_object()) {
      continue;
    }
    const qanat::Result<qanat::JournalEntry> entry = qanat::to_journal_entry(line);
    if (!entry) {
      continue;
    }
    record.summary.add(entry.value());
    record.history.add(entry.value());
    snapshot.add(entry.value());
    perfetto.add(entry.value());
    chrome.add(entry.value());
  }
  const qanat::Diagnosis diagnosis = qanat::diagnose_run(record.summary);
  const std::string page = qanat::render_html({.summary = record.summary,
                                               .history = record.history,
                                               .diagnosis = diagnosis,
                                               .words = qanat::Words(qanat::Language::fa)});
  QANAT_CHECK(page.find("<b>x") == std::string::npos) << "markup of a journal on the page";
  QANAT_CHECK(page.size() < 2'000'000) << "a page without bound";
  QANAT_CHECK(qanat::prometheus_text(snapshot).ends_with('\n')) << "a scrape without end";
  const qanat::TemporaryFolder folder;
  for (qanat::RunTracer* const tracer : {&perfetto, &chrome}) {
    tracer->write(folder.path() / "trace");
    QANAT_CHECK(std::filesystem::file_size(folder.path() / "trace") < 64 * (4096 + size))
        << "a trace without bound";
  }
  return 0;
}
