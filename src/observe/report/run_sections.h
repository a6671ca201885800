// The parts of a run's page that are words: verdict, finding cards, statistics, checks, events and
// the configuration. HTML, escaped.
#pragma once

#include <string>

#include "metrics/run_snapshot.h"
#include "report/run_charts.h"

namespace qanat {

std::string verdict_html(const RunView& run);
std::string summary_html(const RunView& run);
// The tiles of a live page, in place of the summary: what the run is doing now, and what is only
// known of all of it.
std::string now_html(const RunSnapshot& now, const RunView& run);
// Empty when there is none.
std::string findings_html(const RunView& run);
std::string statistics_html(const RunView& run);
// Empty for a run of one rank.
std::string ranks_html(const RunView& run);
std::string checks_html(const RunView& run);
std::string events_html(const RunView& run);
std::string configuration_html(const RunView& run);

}  // namespace qanat
