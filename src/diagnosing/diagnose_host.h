// The sections of `qanat diagnose` about the machine: hardware, memory and runtime. Pure functions
// of what monitor/ read.
#pragma once

#include "batch/bucket_edges.h"
#include "config/run_config.h"
#include "diagnose/run_trace.h"
#include "monitor/host_facts.h"
#include "report/full_diagnosis.h"

namespace qanat {

// `trace` has what ResourceMonitor journalled.
Section hardware_section(const RunTrace& trace);

// What the run shares with others, and how often they were in its way.
Section runtime_section(const RunTrace& trace, const RunConfig& config);

// What batches and features may take, and what is free.
Section memory_section(const RunConfig& config, const HostFacts& host, const RunTrace& trace);

}  // namespace qanat
