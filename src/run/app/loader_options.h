// What a configuration means for a data set and its loader on this machine.
#pragma once

#include <optional>

#include "base/quantity.h"
#include "batch/batch.h"
#include "config/run_config.h"
#include "dataset/dataset_check.h"
#include "dataset/dataset_index.h"
#include "dataset/training_sets.h"
#include "features/mel_config.h"
#include "monitor/host_facts.h"
#include "pipeline/loader.h"
#include "pipeline/segment_row_source.h"
#include "text/text_front_end.h"

namespace qanat {

// Where the features of utterances come from: one definition everywhere.
inline constexpr MelConfig kMel{};

// Everything but rank, world and payload, which are not configured. `consumer_threads` are the
// cores left to whoever takes the batches.
LoaderOptions make_loader_options(const RunConfig& config,
                                  const HostFacts& host,
                                  int consumer_threads);

// What the rows of a run hold that trains a vocoder; nothing where they hold whole utterances.
std::optional<SegmentOptions> segment_options(const RunConfig& config);

// What batches carry to the model device: with `has_data_gpu` the features may be made on the way.
PayloadKind loaded_payload(const RunConfig& config, bool has_data_gpu);
PayloadKind trained_payload(const RunConfig& config);

// Memory for features of earlier epochs: as configured, else a quarter of what is free; none when
// there is only one epoch.
Bytes feature_cache_budget(const RunConfig& config, const HostFacts& host);

TextConfig make_text_config(const DataConfig& data);

// Without progress and stop token, which are the caller's. Throws Error without training data.
TrainingSetOptions make_training_set_options(const RunConfig& config, const HostFacts& host);

// The whole data set by samples, on all cores. The same caller's business, and the same Error.
CheckOptions make_check_options(const RunConfig& config, const HostFacts& host);

// What dataset/ asks about audio and text, answered by audio/ and text/.
//
// The functions refer to `text`, which has to outlive them; they are thread-safe.
IndexSources make_index_sources(const TextFrontEnd& text, SampleRate rate);
// The same, and `text` learns the symbols of the first set that is measured: that to train on.
IndexSources make_index_sources(TextFrontEnd& text, SampleRate rate);
// For a run that reads no text: every utterance has one token.
IndexSources make_audio_index_sources(SampleRate rate);
CheckSources make_check_sources(TextFrontEnd& text, SampleRate rate);

}  // namespace qanat
