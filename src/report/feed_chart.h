// The chart of report/feed_table.h: steps per second of every mode, beside the device's own pace.
#pragma once

#include <optional>

#include "report/feed_table.h"
#include "report/figure.h"

namespace qanat {

// Nothing when nothing was measured.
std::optional<Figure> feed_figure(const FeedTable& table, const Translator& words);

}  // namespace qanat
