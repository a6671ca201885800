#include "cli/trace_flags.h"

namespace qanat {

void TraceFlags::declare(CLI::App& app) {
  app.add_option("--trace",
                 file_,
                 "write a trace for ui.perfetto.dev: workers, slots, steps and the ways between")
      ->type_name("FILE");
  app.add_option("--trace-format", format_, "of the trace: perfetto, or json for older tools")
      ->check(CLI::IsMember({"perfetto", "json"}).description(""))
      ->type_name("WORD")
      ->capture_default_str();
  app.add_option("--trace-budget",
                 budget_,
                 "most of a trace: the beginning and the end of the run are kept")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("MB")
      ->capture_default_str();
}

std::optional<std::filesystem::path> TraceFlags::file() const {
  return file_.empty() ? std::nullopt : std::optional<std::filesystem::path>(file_);
}

TraceOptions TraceFlags::options() const {
  return {.format = format_ == "json" ? TraceFormat::json : TraceFormat::perfetto,
          .budget = mebibytes(budget_)};
}

}  // namespace qanat
