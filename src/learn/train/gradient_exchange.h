// Sums the gradients of all processes while the backward pass still runs.
//
// The flat gradient is cut into slices. A slice whose parameters all have their gradient is sent
// while the others are being computed; what is left is sent at the end. All processes send in one
// order, that in which rank 0 saw slices finish in the first update.
//
//   exchange.backward(loss);  // of the last microbatch of an update
//   exchange.finish();        // model.gradient is the sum
//
// For the work of the stream the model belongs to.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <torch/csrc/autograd/variable.h>
#include <torch/torch.h>

#include "metrics/step_record.h"
#include "replicas/process_group.h"
#include "train/trained_weights.h"

namespace qanat {

struct GradientExchangeOptions {
  ExchangeFormat format = ExchangeFormat::f32;
  // Values of a slice, at least: a message costs the same time whatever it carries.
  std::int64_t min_slice = 1 << 16;
  int max_slices = 24;
  bool overlap = true;  // false sends all at the end: for measuring what it saves
};

class GradientExchange {
 public:
  // Both outlive it.
  GradientExchange(TrainedWeights& weights,
                   ProcessGroup& group,
                   const GradientExchangeOptions& options);
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;
  ~GradientExchange();

  // Adds the gradient of `loss` to the model's and sends what it completes. When it fails halfway,
  // what was completed counts: the rows are done again by further calls, which add the rest.
  void backward(const torch::Tensor& loss);
  // The rows of this update are done again in parts: nothing is complete before finish().
  void do_again() { is_open_ = false; }
  // Sends what is left and `sums`, and waits for all of it. `sums` are summed, too, if defined.
  void finish(const torch::Tensor& sums);

  // What the last update took; absent where only the device knows its times.
  std::optional<StepExchange> last() const { return last_; }

 private:
  struct Slice {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::vector<std::size_t> parameters;
    std::size_t missing = 0;  // gradients of the current update
  };
  class Hook;

  void cut_slices();
  void add_hooks();
  void on_gradient(std::size_t parameter);
  void send_complete();
  void send_next();
  void agree_on_order();
  void reset();

  TrainedWeights& weights_;
  ProcessGroup& group_;
  const GradientExchangeOptions options_;
  std::vector<Slice> slices_;
  std::vector<std::size_t> slice_of_;  // by parameter
  std::vector<std::size_t> order_;     // of slices, as they are sent
  bool has_order_ = false;
  // These describe the current update.
  bool is_open_ = true;                 // the next backward pass is the first one
  bool is_running_ = false;             // a backward pass that completes parameters
  std::vector<bool> has_gradient_;      // by parameter
  std::vector<std::int64_t> finished_;  // by slice: when, counted in gradients; 0: not yet
  std::int64_t num_gradients_ = 0;
  std::size_t num_sent_ = 0;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  torch::Tensor rounded_;  // bf16, as large as the gradient: what is sent; undefined: it is not
  std::optional<StepExchange> last_;
  std::shared_ptr<GradientExchange*> self_;  // shared with the hooks, which outlive this object
  // Keep the hooks. How libtorch shares them depends on its version.
  std::vector<decltype(torch::autograd::impl::grad_accumulator(std::declval<torch::Tensor>()))>
      accumulators_;
};

}  // namespace qanat
