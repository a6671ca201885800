// The page of a run: one file with everything inside, verdict first, then what can be gained, then
// the charts behind it. Under 500 kB whatever the length of the run, and loads nothing.
#pragma once

#include <string>
#include <vector>

#include "report/run_charts.h"

namespace qanat {

// In the order of the page; also what a live page shows and renews.
std::vector<PageSection> run_sections(const RunView& run);

// The page itself. Everything a journal holds is escaped.
std::string render_html(const RunView& run);

// What the page is called: the name of the run, or what it is. Under it when the run began.
std::string run_title(const RunHistory& history, const Translator& words);
std::string run_subtitle(const RunHistory& history, const Translator& words);

// Links to the sections that have a heading.
std::string navigation_html(const std::vector<PageSection>& sections);

}  // namespace qanat
