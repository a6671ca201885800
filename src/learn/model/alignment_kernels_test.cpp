// The GPU's kernels against the host's: the same source, its threads taking turns.
#include "cuda_runtime/alignment_kernels.h"

#include <random>

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "cuda_runtime/lockstep_kernels_testing.h"
#include "model/forward_sum.h"
#include "model/monotonic_search.h"

namespace qanat {
namespace {

struct Rows {
  torch::Tensor scores;  // [B, T, N]
  AlignmentLengthTensors lengths;
};

Rows random_rows(std::mt19937& random, int most_tokens, int most_frames) {
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const int batch = between(1, 3), tokens = between(1, most_tokens);
  const int frames = between(tokens, std::max(tokens, most_frames));
  Rows rows{.scores = torch::empty({batch, frames, tokens}),
            .lengths = {.tokens = torch::empty({batch}, torch::kInt64),
                        .frames = torch::empty({batch}, torch::kInt64)}};
  // From nearly equal weights to some that rule paths out.
  std::normal_distribution<float> weight(0, std::array{0.1F, 2.0F, 20.0F}.at(between(0, 2)));
  float* const scores = rows.scores.data_ptr<float>();
  std::generate_n(scores, rows.scores.numel(), [&] { return weight(random); });
  for (int b = 0; b < batch; ++b) {
    const int own_tokens = b == 0 ? tokens : between(1, tokens);
    rows.lengths.tokens[b] = own_tokens;
    rows.lengths.frames[b] = b == 0 ? frames : between(own_tokens, frames);
  }
  // As the aligner leaves tokens that are padding.
  const torch::Tensor token = torch::arange(tokens).unsqueeze(0);
  const torch::Tensor padding = token >= rows.lengths.tokens.unsqueeze(1);
  rows.scores.masked_fill_(padding.unsqueeze(1), -1e4);
  return rows;
}

torch::Tensor normalised(const torch::Tensor& scores) {
  return torch::log_softmax(torch::constant_pad_nd(scores, {1, 0}, -1), 2);
}

class AlignmentKernelsTest : public testing::Test {
 protected:
  AlignmentKernelsTest() { at::set_num_threads(1); }

  // Compares with value and gradient in double precision, as the host's own are compared as well.
  void expect_the_hosts(const Rows& rows, int threads) {
    LockstepKernels kernels(threads);
    torch::Tensor exact = rows.scores.to(torch::kFloat64).requires_grad_();
    const torch::Tensor losses =
        forward_sum_by_logarithms(exact, rows.lengths.tokens, rows.lengths.frames);
    losses.sum().backward();

    const ForwardSums sums = forward_sums(kernels, normalised(rows.scores), rows.lengths);

    const torch::Tensor apart = (sums.losses - losses.detach()).abs() / (losses.detach().abs() + 1);
    EXPECT_LT(apart.max().item<double>(), 1e-5);
    EXPECT_LT((sums.gradient - exact.grad()).abs().max().item<double>(), 1e-5);
    EXPECT_TRUE(
        search_durations(kernels, rows.scores, rows.lengths)
            .equal(monotonic_durations(rows.scores, rows.lengths.tokens, rows.lengths.frames)));
  }
};

// QANAT_KERNEL_SHAPES asks for more: ten thousand take some seconds.
TEST_F(AlignmentKernelsTest, EqualTheHostsForRandomShapes) {
  const char* const asked = std::getenv("QANAT_KERNEL_SHAPES");  // NOLINT(concurrency-mt-unsafe)
  const int shapes = asked == nullptr ? 1000 : std::stoi(asked);
  std::mt19937 random(17);
  for (int i = 0; i < shapes && !HasFailure(); ++i) {
    SCOPED_TRACE(i);
    expect_the_hosts(random_rows(random, 24, 48), 1 + static_cast<int>(random() % 32));
  }
}

TEST_F(AlignmentKernelsTest, EqualTheHostsForALongUtterance) {
  const Rows rows{.scores = 2 * torch::randn({2, 900, 150}),
                  .lengths = {.tokens = torch::full({2}, 150), .frames = torch::full({2}, 900)}};

  expect_the_hosts(rows, 64);
}

TEST_F(AlignmentKernelsTest, ARowWithoutAnyAlignmentIsInfinitelyUnlikely) {
  LockstepKernels kernels(8);
  const Rows rows{.scores = torch::zeros({1, 2, 3}),
                  .lengths = {.tokens = torch::full({1}, 3), .frames = torch::full({1}, 2)}};

  const ForwardSums sums = forward_sums(kernels, normalised(rows.scores), rows.lengths);

  EXPECT_TRUE(std::isinf(sums.losses[0].item<float>()));
  EXPECT_EQ(sums.gradient.abs().max().item<float>(), 0);
}

// What the test above would not see if threads were not run in changing orders.
QANAT_KERNEL shift_without_meeting(int* values, bool meets) {
  const int thread = QANAT_THREAD;
  const int left = thread == 0 ? -1 : values[thread - 1];
  if (meets) {
    QANAT_MEET;
  }
  values[thread] = left;
}

TEST(LockstepTest, AMissingMeetingShows) {
  const auto shifted = [](bool meets) {
    std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7};
    lockstep::run({.threads = 8, .seed = 5},
                  [&] { return shift_without_meeting(values.data(), meets); });
    return values;
  };

  EXPECT_THAT(shifted(true), testing::ElementsAre(-1, 0, 1, 2, 3, 4, 5, 6));
  EXPECT_NE(shifted(false), shifted(true));
}

QANAT_KERNEL some_leave(int* /*unused*/) {
  if (QANAT_THREAD != 3) {
    QANAT_MEET;
  }
}

TEST(LockstepTest, ThreadsThatDoNotComeToAMeetingAreAnError) {
  EXPECT_THROW(lockstep::run({.threads = 4}, [] { return some_leave(nullptr); }), std::logic_error);
}

}  // namespace
}  // namespace qanat
