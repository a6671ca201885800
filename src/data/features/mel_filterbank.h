// Triangular mel bands over the bins of a real FFT.
//
// Neighbouring triangles overlap by half, so between two neighbouring centres a bin weighs in
// exactly two bands: the falling side of one and the rising side of the next. That is how the
// weights are kept: two per bin instead of a matrix.
#pragma once

#include <vector>

#include "features/mel_config.h"

namespace qanat {

struct BinWeights {
  float rising = 0.0F;   // in the band whose lower half holds this bin
  float falling = 0.0F;  // in the band below it
};

struct MelFilterbank {
  int first_bin = 0;                // FFT bin of weights[0]
  std::vector<BinWeights> weights;  // of consecutive bins
  // Side s is the rising half of band s and the falling half of band s - 1; its weights end before
  // weights[side_ends[s]]. One more side than bands.
  std::vector<int> side_ends;
};

MelFilterbank make_mel_filterbank(const MelConfig& config);

// Where a frequency lies on the scale of the bands, from 0 (fmin) to 1 (fmax): for axes.
double mel_position(double hz, const MelConfig& config);

}  // namespace qanat
