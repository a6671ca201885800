// What dataset/ asks about audio and text, answered by audio/ and text/.
#pragma once

#include "base/quantity.h"
#include "dataset/dataset_check.h"
#include "dataset/dataset_index.h"
#include "text/text_front_end.h"

namespace qanat {

// The functions refer to `text`, which has to outlive them; they are thread-safe.
IndexSources make_index_sources(const TextFrontEnd& text, SampleRate rate);
CheckSources make_check_sources(const TextFrontEnd& text, SampleRate rate);

}  // namespace qanat
