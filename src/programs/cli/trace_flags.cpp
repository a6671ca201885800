#include "cli/trace_flags.h"

#include "locale/messages/help.h"

namespace qanat {

void TraceFlags::declare(Flags& flags) {
  flags.text("--trace", file_, "FILE", msg::help_trace{});
  flags.choice("--trace-format", format_, "WORD", {"perfetto", "json"}, msg::help_trace_format{});
  flags.number("--trace-budget", budget_, "MB", {1, 4096}, msg::help_trace_budget{});
}

std::optional<std::filesystem::path> TraceFlags::file() const {
  return file_.empty() ? std::nullopt : std::optional<std::filesystem::path>(file_);
}

TraceOptions TraceFlags::options() const {
  return {.format = format_ == "json" ? TraceFormat::json : TraceFormat::perfetto,
          .budget = mebibytes(budget_)};
}

}  // namespace qanat
