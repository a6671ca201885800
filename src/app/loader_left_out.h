// Utterances that never reach a plan: told to the journal, and the run refused when too many of
// them are damaged.
#pragma once

#include "dataset/training_sets.h"
#include "metrics/journal.h"

namespace qanat {

// Journals a `left_out` event for every utterance of the set that is not used, with file and
// reason. Throws Error when the share of those that are damaged (unreadable, missing, no usable
// row) is above `max_bad_fraction`; those that are only too long or too short do not count.
// `journal` may be null.
void report_left_out(const UtteranceSet& set, double max_bad_fraction, EventSink* journal);

}  // namespace qanat
