// How long a step would take with other workers, another buffer or faster rows: the recorded times
// of the run, run again (diagnose/replay.h).
#pragma once

#include <optional>

#include "diagnose/rules.h"

namespace qanat {

// s per step: as long as it takes now, less what the change saves in the replay. Nothing when the
// journal does not hold the timelines of its batches.
std::optional<double> predict_step(const RuleInput& input, const WhatIf& change);

// The gain of a step of `predicted` seconds, as uncertain as the waiting it takes away and as the
// replay is far from the run.
Gain gain_of_prediction(const RuleInput& input, double predicted);
// The same of a prediction that no replay made.
Gain gain_of_less_waiting(const RunMeasures& measures, double predicted);
// Without any waiting for data.
Gain gain_if_data_were_free(const RunMeasures& measures);

// Both changes.
WhatIf merged(WhatIf first, const WhatIf& second);

// The fewest workers, above those there are, that do as well as `most`.
int workers_wanted(const RuleInput& input, int most);
// The smallest window, in doublings, that leaves next to no waiting or does as well as any; nothing
// when none does better than the one there is.
std::optional<int> window_wanted(const RuleInput& input);

}  // namespace qanat
