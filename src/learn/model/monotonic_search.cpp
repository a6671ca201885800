#include "model/monotonic_search.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <torch/torch.h>

#include "cuda_runtime/alignment_kernels.h"
#include "locale/message_error.h"
#include "locale/messages/speech_errors.h"

namespace qanat {

namespace {

constexpr float kImpossible = -std::numeric_limits<float>::infinity();

// Kept between the rows of a batch.
struct Workspace {
  std::vector<float> best;         // [tokens + 1]: best[n + 1] ends in token n at this frame
  std::vector<std::uint8_t> came;  // [frames, tokens]: 1 when token n - 1 came before
};

struct Row {
  const float* scores = nullptr;  // [frames, stride]
  std::int64_t stride = 0;
  std::int64_t tokens = 0;
  std::int64_t frames = 0;
};

// Fills `came`. Scores of a frame are updated from the last token to the first, so that those of
// the frame before are still there.
void search(const Row& row, Workspace& work) {
  const auto tokens = static_cast<std::size_t>(row.tokens);
  work.best.assign(tokens + 1, kImpossible);
  work.came.resize(static_cast<std::size_t>(row.frames) * tokens);
  work.best[1] = row.scores[0];
  for (std::int64_t t = 1; t < row.frames; ++t) {
    const float* scores = row.scores + t * row.stride;
    std::uint8_t* came = work.came.data() + static_cast<std::size_t>(t) * tokens;
    for (std::size_t n = tokens; n-- > 0;) {
      const float stay = work.best[n + 1], advance = work.best[n];
      came[n] = advance > stay ? 1 : 0;
      work.best[n + 1] = std::max(stay, advance) + scores[n];
    }
  }
}

// From the last token at the last frame backwards. A token n cannot begin before frame n, so it is
// left at the latest there, whatever the scores say.
void trace(const Row& row, const Workspace& work, std::span<std::int64_t> durations) {
  std::int64_t n = row.tokens - 1;
  for (std::int64_t t = row.frames - 1; t > 0; --t) {
    ++durations[static_cast<std::size_t>(n)];
    const bool advanced = work.came[static_cast<std::size_t>(t * row.tokens + n)] != 0;
    n -= n > 0 && (advanced || n == t) ? 1 : 0;
  }
  ++durations[static_cast<std::size_t>(n)];
}

}  // namespace

void require_alignable(std::int64_t row, std::int64_t tokens, std::int64_t frames) {
  if (tokens < 1 || tokens > frames) {
    throw MessageError(msg::alignment_impossible{.row = row, .tokens = tokens, .frames = frames});
  }
}

torch::Tensor monotonic_durations(const torch::Tensor& log_probability,
                                  const torch::Tensor& token_lengths,
                                  const torch::Tensor& mel_lengths) {
  if (!log_probability.is_cpu()) {
    return search_durations(cuda_alignment_kernels(),
                            log_probability,
                            {.tokens = token_lengths, .frames = mel_lengths});
  }
  const torch::Tensor scores = log_probability.contiguous();
  const torch::Tensor token_counts = token_lengths.contiguous();
  const torch::Tensor frame_counts = mel_lengths.contiguous();
  const std::int64_t rows = scores.size(0), frames = scores.size(1), tokens = scores.size(2);
  torch::Tensor durations = torch::zeros({rows, tokens}, torch::kInt64);
  Workspace work;
  for (std::int64_t b = 0; b < rows; ++b) {
    const Row row{.scores = scores.data_ptr<float>() + b * frames * tokens,
                  .stride = tokens,
                  .tokens = token_counts.data_ptr<std::int64_t>()[b],
                  .frames = frame_counts.data_ptr<std::int64_t>()[b]};
    require_alignable(b, row.tokens, row.frames);
    search(row, work);
    trace(row,
          work,
          {durations.data_ptr<std::int64_t>() + b * tokens, static_cast<std::size_t>(tokens)});
  }
  return durations;
}

}  // namespace qanat
