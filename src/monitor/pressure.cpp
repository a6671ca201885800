#include "monitor/pressure.h"

#include <fmt/format.h>

#include "monitor/cgroup.h"
#include "monitor/kernel_files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

// The total of "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345", in microseconds.
std::optional<double> total_of(std::string_view text, std::string_view kind) {
  const std::optional<std::string_view> line = value_after(text, kind);
  const std::size_t at = line ? line->find("total=") : std::string_view::npos;
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> micro = to_integer(line->substr(at + 6));
  return micro && *micro >= 0 ? std::optional(static_cast<double>(*micro) / 1e6) : std::nullopt;
}

Reading<Pressure> read_pressure_file(const fs::path& path) {
  const Result<std::string> text = read_kernel_text(path);
  if (!text) {
    return Reading<Pressure>::none(text.failure().what);
  }
  const std::optional<double> some = total_of(text.value(), "some ");
  if (!some) {
    return Reading<Pressure>::none(fmt::format("{}: not as the kernel writes it", path.string()));
  }
  // Old kernels have no line `full` for the processor.
  return Pressure{.some = *some, .full = total_of(text.value(), "full ").value_or(0)};
}

}  // namespace

PressureTotals read_machine_pressure(const fs::path& root) {
  const fs::path folder = root / "proc/pressure";
  return {.cpu = read_pressure_file(folder / "cpu"),
          .io = read_pressure_file(folder / "io"),
          .memory = read_pressure_file(folder / "memory")};
}

PressureTotals read_group_pressure(const fs::path& root) {
  const std::vector<fs::path> folders = unified_folders(root);
  if (folders.empty()) {
    const auto none = Reading<Pressure>::none("no control group of version 2 is mounted");
    return {.cpu = none, .io = none, .memory = none};
  }
  const fs::path& own = folders.back();
  return {.cpu = read_pressure_file(own / "cpu.pressure"),
          .io = read_pressure_file(own / "io.pressure"),
          .memory = read_pressure_file(own / "memory.pressure")};
}

}  // namespace qanat
