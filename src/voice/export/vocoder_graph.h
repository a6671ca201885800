// The vocoder as a graph: log-mel in, samples out. The same numbers as Vocos::synthesise(), the
// steps that make its phases agree included, up to rounding; the tests compare them.
#pragma once

#include "export/graph_builder.h"
#include "features/mel_config.h"

namespace qanat {

// Describes the generator; docs in vocoder/vocoder_shape.h. `smooth` is [mel_bins, bins].
struct VocosPlan {
  MelConfig mel;
  std::int64_t blocks = 0;
  std::int64_t refinements = 0;
  double mel_mean = 0;
  double mel_std = 1;
  Array smooth;
};

// mel: f32 [1, frames, mel_bins], natural logs -> f32 [1, 1, frames * hop].
GraphValue vocode(GraphBuilder& graph,
                  const VocosPlan& plan,
                  const ArrayMap& weights,
                  const GraphValue& mel);

}  // namespace qanat
