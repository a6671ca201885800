#include "model/forward_sum.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include "cuda_runtime/alignment_kernels.h"

namespace qanat {
namespace {

// Forward-sum loss of one utterance and its gradient, on host memory.
//
// Works with probabilities instead of their logarithms: an order of magnitude faster, and it
// notices when probabilities became too small for that.
struct ForwardSumRow {
  const float* probability = nullptr;  // [frames, stride]: column 0 no token, column n + 1 token n
  std::int64_t stride = 0;
  std::int64_t tokens = 0;
  std::int64_t frames = 0;
  float* gradient = nullptr;  // [frames, gradient_stride]: by the log weight of token n, column n
  std::int64_t gradient_stride = 0;
};

// Kept between rows. One per thread.
struct ForwardSumWorkspace {
  std::vector<double> token;  // [frames, tokens + 2]
  std::vector<double> blank;  // [frames, tokens + 2]
  std::vector<double> token_after;
  std::vector<double> blank_after;
  std::vector<double> log_scale;  // of the frames of a stretch
};

// Frames between two rescalings. "No token" has at least a share of 0.26 of a frame, so that the
// whole shrinks by less than 1e-10 in between.
constexpr std::int64_t kStretch = 16;
// Smaller shares of the whole are dropped, before they slow the arithmetic down.
constexpr double kNegligible = 1e-280;
// Likelihoods seen at different frames are the same number; they differ by more than this when
// something was dropped that mattered.
constexpr double kDisagreement = 1e-7;

// One frame's states, shifted by one so that [0] is the state before the first and stays 0:
// token[n + 1] is token n, blank[n + 1] the pause before it, blank[tokens + 1] the last pause.
struct States {
  double* token = nullptr;
  double* blank = nullptr;
};

// Divides by the sum; returns its logarithm.
double rescale(const States& states, std::int64_t size) {
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    sum += states.token[i] + states.blank[i];
  }
  const double factor = 1 / sum;
  for (std::int64_t i = 0; i < size; ++i) {
    const double token = states.token[i] * factor, blank = states.blank[i] * factor;
    states.token[i] = token < kNegligible ? 0 : token;
    states.blank[i] = blank < kNegligible ? 0 : blank;
  }
  return std::log(sum);
}

class RowSum {
 public:
  RowSum(const ForwardSumRow& row, ForwardSumWorkspace& work)
      : row_(row), work_(work), width_(row.tokens + 2) {
    const auto states = static_cast<std::size_t>(row.frames * width_);
    if (work_.token.size() < states) {
      work_.token.resize(states);
      work_.blank.resize(states);
    }
    work_.token_after.assign(static_cast<std::size_t>(width_ + 1), 0);
    work_.blank_after.assign(static_cast<std::size_t>(width_ + 1), 0);
    work_.log_scale.assign(1, 0);
  }

  // Log-likelihood of everything up to each frame.
  double forward() {
    first_frame();
    for (std::int64_t t = 1; t < row_.frames; ++t) {
      next_frame(t);
      if (t % kStretch == 0) {
        work_.log_scale.push_back(work_.log_scale.back() + rescale(before(t), width_));
      }
    }
    const States last = before(row_.frames - 1);
    return std::log(last.token[row_.tokens] + last.blank[row_.tokens + 1]) + work_.log_scale.back();
  }

  // Gradients, from the last frame to the first; whether the frames agree with `likelihood`.
  bool backward(double likelihood) {
    const States after{work_.token_after.data(), work_.blank_after.data()};
    after.token[row_.tokens] = 1;
    after.blank[row_.tokens + 1] = 1;
    double log_scale = 0, share = 0;
    for (std::int64_t t = row_.frames - 1; t >= 0; --t) {
      if (t < row_.frames - 1) {
        frame_before(t, after);
      }
      if (t == row_.frames - 1 || t % kStretch == kStretch - 1) {
        log_scale += rescale(after, width_);
        const double sum = overlap(before(t), after);
        const double seen =
            std::log(sum) + log_scale + work_.log_scale[static_cast<std::size_t>(t / kStretch)];
        if (!(std::abs(seen - likelihood) < kDisagreement * (1 + std::abs(likelihood)))) {
          return false;
        }
        share = 1 / sum;
      }
      write_gradient(t, after, share);
    }
    return true;
  }

 private:
  const float* probability(std::int64_t t) const { return row_.probability + t * row_.stride; }
  States before(std::int64_t t) const {
    return {work_.token.data() + t * width_, work_.blank.data() + t * width_};
  }

  void first_frame() {
    const States states = before(0);
    std::fill_n(states.token, width_, 0);
    std::fill_n(states.blank, width_, 0);
    states.blank[1] = probability(0)[0];
    states.token[1] = probability(0)[1];
  }

  void next_frame(std::int64_t t) {
    const States from = before(t - 1), to = before(t);
    const float* __restrict p = probability(t);
    const double none = p[0];
    const double* __restrict from_token = from.token;
    const double* __restrict from_blank = from.blank;
    double* __restrict to_token = to.token;
    double* __restrict to_blank = to.blank;
    to_token[0] = 0;
    to_blank[0] = 0;
    for (std::int64_t i = 1; i <= row_.tokens; ++i) {
      const double entered = from_blank[i] + from_token[i - 1];
      to_blank[i] = none * entered;
      to_token[i] = static_cast<double>(p[i]) * (entered + from_token[i]);
    }
    const std::int64_t last = row_.tokens + 1;
    to_token[last] = 0;
    to_blank[last] = none * (from_blank[last] + from_token[last - 1]);
  }

  // `after` from what follows frame t + 1 to what follows frame t, in place: upwards, each state
  // needs itself and its successors.
  void frame_before(std::int64_t t, const States& after) {
    const float* __restrict p = probability(t + 1);
    const double none = p[0];
    double* __restrict token = after.token;
    double* __restrict blank = after.blank;
    for (std::int64_t i = 1; i <= row_.tokens; ++i) {
      token[i] *= static_cast<double>(p[i]);
      blank[i] *= none;
    }
    blank[row_.tokens + 1] *= none;
    for (std::int64_t i = 1; i <= row_.tokens; ++i) {
      blank[i] += token[i];
      token[i] += blank[i + 1] + token[i + 1];
    }
  }

  double overlap(const States& earlier, const States& later) const {
    double sum = 0;
    for (std::int64_t i = 0; i < width_; ++i) {
      sum += earlier.token[i] * later.token[i] + earlier.blank[i] * later.blank[i];
    }
    return sum;
  }

  void write_gradient(std::int64_t t, const States& after, double share) {
    const float* __restrict p = probability(t) + 1;
    const double* __restrict earlier = before(t).token + 1;
    const double* __restrict later = after.token + 1;
    float* __restrict out = row_.gradient + t * row_.gradient_stride;
    for (std::int64_t n = 0; n < row_.tokens; ++n) {
      out[n] = p[n] - static_cast<float>(earlier[n] * later[n] * share);
    }
  }

  const ForwardSumRow& row_;
  ForwardSumWorkspace& work_;
  const std::int64_t width_;
};

// The negative log-likelihood; nullopt when it cannot be told in this way. Writes the gradient of
// the row's tokens and frames only.
std::optional<double> forward_sum_row(const ForwardSumRow& row, ForwardSumWorkspace& work) {
  RowSum sum(row, work);
  const double likelihood = sum.forward();
  if (!std::isfinite(likelihood) || !sum.backward(likelihood)) {
    return std::nullopt;
  }
  return -likelihood;
}

constexpr double kBlank = -1;  // log weight of a frame that belongs to no token

// A value that was computed together with its gradient.
struct WithGradient : torch::autograd::Function<WithGradient> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context,
                               const torch::Tensor& /*log_probability*/,
                               const torch::Tensor& losses,
                               const torch::Tensor& gradient) {
    context->save_for_backward({gradient});
    return losses.clone();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list upstream) {
    const torch::Tensor gradient = context->get_saved_variables()[0];
    return {gradient * upstream[0].view({-1, 1, 1}), torch::Tensor(), torch::Tensor()};
  }
};

// Weights with that of "no token" before them: [B, T, N + 1].
torch::Tensor with_blank(const torch::Tensor& log_probability) {
  return torch::constant_pad_nd(log_probability, {1, 0}, kBlank);
}

struct RowResults {
  torch::Tensor losses;    // [B]
  torch::Tensor gradient;  // [B, T, N]
  bool exact = false;      // false: use logarithms instead
};

RowResults sum_rows(const torch::Tensor& log_probability,
                    const torch::Tensor& token_lengths,
                    const torch::Tensor& mel_lengths) {
  const torch::NoGradGuard no_grad;
  const std::int64_t batch = log_probability.size(0);
  const torch::Tensor probability = torch::softmax(with_blank(log_probability), 2);
  RowResults results{torch::empty({batch}), torch::zeros(log_probability.sizes())};
  auto p = probability.accessor<float, 3>();
  auto gradient = results.gradient.accessor<float, 3>();
  auto losses = results.losses.accessor<float, 1>();
  const torch::Tensor token_counts = token_lengths.contiguous();
  const torch::Tensor frame_counts = mel_lengths.contiguous();
  std::atomic<bool> exact = true;
  at::parallel_for(0, batch, 1, [&](std::int64_t begin, std::int64_t end) {
    ForwardSumWorkspace work;
    for (std::int64_t b = begin; b < end; ++b) {
      const std::optional<double> loss =
          forward_sum_row({.probability = p[b].data(),
                           .stride = p.stride(1),
                           .tokens = token_counts.data_ptr<std::int64_t>()[b],
                           .frames = frame_counts.data_ptr<std::int64_t>()[b],
                           .gradient = gradient[b].data(),
                           .gradient_stride = gradient.stride(1)},
                          work);
      losses[b] = static_cast<float>(loss.value_or(0));
      exact = exact && loss.has_value();
    }
  });
  results.exact = exact;
  return results;
}

}  // namespace

torch::Tensor forward_sum_by_logarithms(const torch::Tensor& log_probability,
                                        const torch::Tensor& token_lengths,
                                        const torch::Tensor& mel_lengths) {
  const std::int64_t tokens = log_probability.size(2);
  const torch::Tensor normal =
      torch::log_softmax(with_blank(log_probability), 2).transpose(0, 1);  // [T, B, N + 1]
  const torch::Tensor targets = torch::arange(1, tokens + 1, token_lengths.options())
                                    .unsqueeze(0)
                                    .expand({log_probability.size(0), tokens});
  return torch::ctc_loss(
      normal, targets, mel_lengths, token_lengths, /*blank=*/0, at::Reduction::None);
}

torch::Tensor forward_sum(const torch::Tensor& log_probability,
                          const torch::Tensor& token_lengths,
                          const torch::Tensor& mel_lengths) {
  if (!log_probability.is_cpu()) {
    const torch::Tensor normal = torch::log_softmax(with_blank(log_probability.detach()), 2);
    const ForwardSums sums = forward_sums(
        cuda_alignment_kernels(), normal, {.tokens = token_lengths, .frames = mel_lengths});
    return WithGradient::apply(log_probability, sums.losses, sums.gradient);
  }
  if (log_probability.scalar_type() == torch::kFloat32) {
    const RowResults results = sum_rows(log_probability, token_lengths, mel_lengths);
    if (results.exact) {
      return WithGradient::apply(log_probability, results.losses, results.gradient);
    }
  }
  return forward_sum_by_logarithms(log_probability, token_lengths, mel_lengths);
}

}  // namespace qanat
