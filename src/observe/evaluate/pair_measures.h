// How far a synthesized clip is from the recording of the same sentence. Pure functions.
#pragma once

#include <optional>

#include "base/time.h"
#include "evaluate/clip_analysis.h"

namespace qanat {

struct PairMeasures {
  // Mel-cepstral distortion along the warped frames, as pymcd 0.2.1 computes it in mode `dtw`: all
  // 14 coefficients count, and power is taken for amplitude, which makes it twice that of
  // textbooks.
  double mcd = 0;  // dB
  // Root mean square over the warped frames that are voiced in both; nothing where none is.
  std::optional<double> pitch_hertz;
  std::optional<double> pitch_cents;
  double voicing_error = 0;   // share of the warped frames that are voiced in one only
  double duration_error = 0;  // distance of the lengths, as a share of the recording's
  double log_mel = 0;         // nat: mean distance of the bands, along a warp of their own
};

PairMeasures compare_clips(const ClipAnalysis& reference, const ClipAnalysis& made);

}  // namespace qanat
