// The generator of HiFi-GAN as a graph: the same numbers as HifiGan::synthesise(), up to rounding.
#pragma once

#include "export/graph_builder.h"
#include "speech/hifigan.h"

namespace qanat {

// mel: f32 [1, frames, mel_bins], natural logs -> f32 [1, 1, frames * hop].
GraphValue vocode(GraphBuilder& graph, const HifiGan& vocoder, const GraphValue& mel);

}  // namespace qanat
