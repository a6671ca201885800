// What a scrape says beside the journal: this program's version and its diagnosis.
#pragma once

#include "diagnose/diagnosis.h"
#include "telemetry/prometheus.h"

namespace qanat {

// Rules that could not be applied are left out.
ScrapeContext scrape_context(const Diagnosis& diagnosis);

}  // namespace qanat
