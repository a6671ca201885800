// The sections of `qanat diagnose` about the machine: hardware, memory and runtime. Pure functions
// of what monitor/ read.
#pragma once

#include "batch/bucket_edges.h"
#include "config/run_config.h"
#include "diagnose/run_summary.h"
#include "monitor/host_facts.h"
#include "report/full_diagnosis.h"

namespace qanat {

// `summary` has what ResourceMonitor journalled.
Section hardware_section(const RunSummary& summary);

// What the run shares with others, and how often they were in its way.
Section runtime_section(const RunSummary& summary, const RunConfig& config);

// What batches and features may take, and what is free.
Section memory_section(const RunConfig& config, const HostFacts& host, const RunSummary& summary);

}  // namespace qanat
