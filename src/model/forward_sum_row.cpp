#include "model/forward_sum_row.h"

#include <algorithm>
#include <cmath>

namespace qanat {

namespace {

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

}  // namespace

std::optional<double> forward_sum_row(const ForwardSumRow& row, ForwardSumWorkspace& work) {
  RowSum sum(row, work);
  const double likelihood = sum.forward();
  if (!std::isfinite(likelihood) || !sum.backward(likelihood)) {
    return std::nullopt;
  }
  return -likelihood;
}

}  // namespace qanat
