#include "app/demo_show_table.h"

#include <string_view>

#include <fmt/format.h>

#include "base/check.h"

namespace qanat {
namespace {

constexpr std::string_view kRow = "{:<32}{:>11}{:>11}{:>11}{:>8}{:>13}{:>10}\n";

std::string label(const PacedReading& reading) {
  return fmt::format(
      "{}, {} {}", reading.name, reading.workers, reading.workers == 1 ? "worker" : "workers");
}

std::string tenths(double value) {
  return fmt::format("{:.1f}", value);
}

std::string memory_text(const PacedReading& reading) {
  return reading.memory_mb ? fmt::format("{:.0f} MB", *reading.memory_mb) : "unknown";
}

std::string kept_or_not(const PacedReading& reading) {
  if (reading.wait_share < kWaitShareOfAKeptPace) {
    return fmt::format("keeps the pace on {:.2f} cores", reading.cores);
  }
  return fmt::format("reaches {:.1f}, and its consumer waits {:.0f} % of the time",
                     reading.batches_per_s,
                     reading.wait_share * 100);
}

}  // namespace

std::string render_paced_table(std::span<const PacedReading> readings) {
  std::string text =
      fmt::format(kRow, "", "wanted", "got", "waits for", "cores", "first batch", "memory");
  text += fmt::format(kRow, "", "batches/s", "batches/s", "data", "used", "after", "peak");
  for (const PacedReading& one : readings) {
    text += fmt::format(kRow,
                        label(one),
                        tenths(one.wanted_batches_per_s),
                        tenths(one.batches_per_s),
                        tenths(one.wait_share * 100) + " %",
                        fmt::format("{:.2f}", one.cores),
                        fmt::format("{:.2f} s", one.first_batch.count()),
                        memory_text(one));
  }
  return text;
}

std::string paced_verdict(std::span<const PacedReading> readings) {
  QANAT_CHECK(!readings.empty());
  const PacedReading& ours = readings.front();
  std::string text = fmt::format("Asked for {:.0f} batches of {} per second, {} {}",
                                 ours.wanted_batches_per_s,
                                 ours.batch,
                                 ours.name,
                                 kept_or_not(ours));
  for (const PacedReading& other : readings.subspan(1)) {
    text += fmt::format("; {} {}", other.name, kept_or_not(other));
  }
  return text + ".";
}

}  // namespace qanat
