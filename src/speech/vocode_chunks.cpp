#include "speech/vocode_chunks.h"

#include <algorithm>
#include <vector>

#include "base/check.h"

namespace qanat {

void vocode_chunks(Vocoder& vocoder,
                   std::span<const float> mel,
                   int frames,
                   const SamplesFn& take) {
  const std::optional<int> context = vocoder.context();
  if (!context || frames <= 0) {
    take(vocoder.synthesise(mel));
    return;
  }
  const auto bins = static_cast<std::size_t>(vocoder.mel().mel_bins);
  const auto hop = static_cast<std::size_t>(vocoder.mel().hop);
  const auto around = static_cast<std::size_t>(*context);
  const std::size_t all = mel.size() / bins;
  for (std::size_t begin = 0; begin < all;) {
    const std::size_t end = std::min(all, begin + static_cast<std::size_t>(frames));
    const std::size_t from = begin - std::min(begin, around);
    const std::size_t to = std::min(all, end + around);
    const std::vector<float> samples =
        vocoder.synthesise(mel.subspan(from * bins, (to - from) * bins));
    QANAT_CHECK(samples.size() == (to - from) * hop) << samples.size();
    take(std::span(samples).subspan((begin - from) * hop, (end - begin) * hop));
    begin = end;
  }
}

}  // namespace qanat
