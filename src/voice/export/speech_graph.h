// The speech model as a graph: tokens and a voice in, log-mel and durations out. The same numbers
// as XttsModel::synthesise() of one row, up to rounding; the tests compare them.
#pragma once

#include "export/graph_builder.h"
#include "model/model_shape.h"

namespace qanat {

// Who can speak: what the speaker encoder makes of a speaker or a recording, which does not depend
// on the text and is computed once.
struct VoiceTable {
  Array latents;  // [voices, latents, speaker width]
  Array vectors;  // [voices, speaker width]
};

struct SpeechInputs {
  GraphValue tokens;        // i64 [n]
  GraphValue voice;         // i64 [1]; no name: there is one voice
  GraphValue length_scale;  // f32 [1]: above 1 is slower
};

struct SpeechValues {
  GraphValue mel;        // f32 [1, frames, mel_bins], natural logs
  GraphValue durations;  // i64 [n]: frames of each token
};

SpeechValues speak(GraphBuilder& graph,
                   const ModelShape& shape,
                   const ArrayMap& weights,
                   const VoiceTable& voices,
                   const SpeechInputs& inputs);

}  // namespace qanat
