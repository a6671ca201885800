#include "speech/vocode_chunks.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "features/kernels.h"

namespace qanat {

ChunkedVocoding::ChunkedVocoding(std::vector<float> mel, const ChunkLengths& lengths)
    : mel_(std::move(mel)), lengths_(lengths) {}

std::vector<float> ChunkedVocoding::next(Vocoder& vocoder) {
  const std::span<const float> mel(mel_);
  const std::optional<int> context = vocoder.context();
  if (!context || lengths_.first <= 0) {
    begin_ = mel_.size();
    return vocoder.synthesise(mel);
  }
  const auto bins = static_cast<std::size_t>(vocoder.mel().mel_bins);
  const auto hop = static_cast<std::size_t>(vocoder.mel().hop);
  const auto around = static_cast<std::size_t>(*context);
  const std::size_t all = mel.size() / bins;
  const std::size_t begin = begin_ / bins;
  const std::size_t end = std::min(all, begin + static_cast<std::size_t>(lengths_.first));
  const std::size_t before = begin - std::min(begin, around);
  // Phases are searched for in groups of frames, whose sums are rounded in another order where a
  // group begins with another frame; the search lets that grow.
  const std::size_t from = before - before % kMaxLanes;
  const std::size_t to = std::min(all, end + around);
  std::vector<float> samples = vocoder.synthesise(mel.subspan(from * bins, (to - from) * bins));
  QANAT_CHECK(samples.size() == (to - from) * hop) << samples.size();
  samples.resize((end - from) * hop);
  samples.erase(samples.begin(),
                samples.begin() + static_cast<std::ptrdiff_t>((begin - from) * hop));
  begin_ = end * bins;
  lengths_.first = std::max(lengths_.first, std::min(2 * lengths_.first, lengths_.most));
  return samples;
}

void vocode_chunks(Vocoder& vocoder,
                   std::span<const float> mel,
                   int frames,
                   const SamplesFn& take) {
  ChunkedVocoding vocoding({mel.begin(), mel.end()}, {.first = frames, .most = frames});
  do {
    take(vocoding.next(vocoder));
  } while (!vocoding.is_over());
}

}  // namespace qanat
