// Speech in chunks, as soon as each is made: for players that should not wait for the end.
#pragma once

#include <functional>
#include <span>

#include "speech/vocoder.h"

namespace qanat {

using SamplesFn = std::function<void(std::span<const float> samples)>;

// Hands `mel` [frames, mel_bins] to the vocoder `frames` at a time, with as many frames around them
// as their samples depend on, and their samples to `take`, in order. All together they are what
// the vocoder makes of the whole, up to rounding. A vocoder without a bounded context makes
// everything at once; so does `frames` = 0.
void vocode_chunks(Vocoder& vocoder, std::span<const float> mel, int frames, const SamplesFn& take);

}  // namespace qanat
