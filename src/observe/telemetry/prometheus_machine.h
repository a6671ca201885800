// The parts of a scrape that are about the machine and the diagnosis. Each writes nothing of what
// is not known.
#pragma once

#include <span>

#include "metrics/gpu_totals.h"
#include "metrics/run_snapshot.h"
#include "telemetry/exposition.h"
#include "telemetry/prometheus.h"

namespace qanat {

void write_host(Exposition& out, const RunSnapshot& run);
void write_gpus(Exposition& out, std::span<const GpuTotals> gpus);
void write_findings(Exposition& out, const ScrapeContext& context);

}  // namespace qanat
