#include "train/step_graphs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "device/device_lost.h"
#include "locale/messages/training.h"
#include "train/memory_attempt.h"
#include "train/reference_crops.h"

namespace qanat {
namespace {

torch::Tensor copy_of(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.clone() : tensor;
}

void overwrite(const torch::Tensor& to, const torch::Tensor& from) {
  if (to.defined()) {
    to.copy_(from, /*non_blocking=*/true);
  }
}

// Memory of its own for everything a recording reads, as large as a shape can need.
ModelBatch make_inputs(const ModelBatch& rows) {
  const torch::Tensor& reference = rows.reference;
  const std::int64_t longest = longest_reference(static_cast<int>(rows.mel.size(1)));
  return {.tokens = copy_of(rows.tokens),
          .token_lengths = copy_of(rows.token_lengths),
          .mel = copy_of(rows.mel),
          .mel_lengths = copy_of(rows.mel_lengths),
          .reference =
              torch::zeros({reference.size(0), longest, reference.size(2)}, reference.options()),
          .reference_lengths = copy_of(rows.reference_lengths),
          .speakers = copy_of(rows.speakers),
          .mel_weights = copy_of(rows.mel_weights)};
}

void fill(const ModelBatch& to, const ModelBatch& from) {
  const torch::NoGradGuard no_grad;
  overwrite(to.tokens, from.tokens);
  overwrite(to.token_lengths, from.token_lengths);
  overwrite(to.mel, from.mel);
  overwrite(to.mel_lengths, from.mel_lengths);
  overwrite(to.reference.narrow(1, 0, from.reference.size(1)), from.reference);
  overwrite(to.reference_lengths, from.reference_lengths);
  overwrite(to.speakers, from.speakers);
  overwrite(to.mel_weights, from.mel_weights);
}

}  // namespace

struct StepGraphs::Entry {
  int runs = 0;
  bool is_refused = false;
  ModelBatch inputs;
  std::unique_ptr<DeviceGraph> graph;
};

// What a part adds, when it is not played.
struct StepGraphs::Computed {
  torch::Tensor before;  // gradient
  torch::Tensor after;   // gradient
  torch::Tensor sums;    // after it
};

StepGraphs::StepGraphs(StepGraphParts parts, const StepGraphOptions& options)
    : parts_(std::move(parts)), options_(options) {}

StepGraphs::~StepGraphs() = default;

void StepGraphs::compute(const ModelBatch& rows, const MicrobatchOptions& options) {
  MicrobatchGradient(parts_.model, options, [&rows] { return rows; }).run(parts_.sums);
}

void StepGraphs::reserve(const ModelBatch& largest, const MicrobatchOptions& options) {
  try {
    reserved_ = parts_.stream.capture([this, largest, options] {
      MicrobatchGradient(parts_.model, options, [&largest] { return largest; }).run({});
    });
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error&) {
    // The first shape that is to be played will say why it cannot be recorded.
  } catch (const c10::Error&) {
    // There is no more memory than computing needs, or libtorch itself does not record it.
  }
}

void StepGraphs::add(const ModelBatch& rows, const MicrobatchOptions& options) {
  if (options.weights != weights_) {
    entries_.clear();
    num_recorded_ = 0;
    weights_ = options.weights;
  }
  const Key key{rows.mel.size(0), rows.mel.size(1), rows.tokens.size(1)};
  std::unique_ptr<Entry>& entry = entries_[key];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
  }
  if (entry->graph != nullptr) {
    fill(entry->inputs, rows);
    entry->graph->replay();
    return;
  }
  if (entry->is_refused || num_recorded_ >= options_.most || ++entry->runs <= options_.warm_ups) {
    compute(rows, options);
    return;
  }
  record(*entry, rows, options);
}

// Adds the gradient of the rows exactly once, as computed, whether or not the recording succeeds.
void StepGraphs::record(Entry& entry, const ModelBatch& rows, const MicrobatchOptions& options) {
  const torch::Tensor& gradient = parts_.model.gradient;
  Computed computed;
  std::string why = why_not_fitting([&] { computed.before = gradient.clone(); });
  // Where this does not fit, nothing has been added yet, and the caller tries smaller parts.
  compute(rows, options);
  if (why.empty()) {
    why = why_not_fitting([&] {
      computed.after = gradient.clone();
      computed.sums = parts_.sums.clone();
    });
  }
  if (why.empty()) {
    why = why_unusable(entry, computed, rows, options);
    gradient.copy_(computed.after);
    parts_.sums.copy_(computed.sums);
  }
  if (why.empty()) {
    ++num_recorded_;
    journal(rows, "recorded", "");
    return;
  }
  refuse(entry, rows, why);
}

std::string StepGraphs::why_unusable(Entry& entry,
                                     const Computed& computed,
                                     const ModelBatch& rows,
                                     const MicrobatchOptions& options) {
  try {
    return try_recording(entry, computed, rows, options);
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const c10::Error& error) {  // the gradient is there, so no split is needed
    return error.what_without_backtrace();
  }
}

std::string StepGraphs::try_recording(Entry& entry,
                                      const Computed& computed,
                                      const ModelBatch& rows,
                                      const MicrobatchOptions& options) {
  entry.inputs = make_inputs(rows);
  fill(entry.inputs, rows);
  // The reference is as long as a shape can have, longer than what made it warm: libraries choose
  // and load their kernels at the first sight of a shape, which a recording forbids.
  compute(entry.inputs, options);
  entry.graph =
      parts_.stream.capture([this, inputs = entry.inputs, options] { compute(inputs, options); });
  if (entry.graph == nullptr) {
    return "this device records nothing";
  }
  const torch::Tensor& gradient = parts_.model.gradient;
  gradient.copy_(computed.before);
  entry.graph->replay();
  const torch::Tensor difference = (gradient - computed.after).abs().max();
  const torch::Tensor largest = (computed.after - computed.before).abs().max();
  const double error = (difference / largest.clamp_min(1e-30)).item<double>();
  return error <= options_.tolerance
             ? ""
             : fmt::format(
                   "the recording is wrong by {:.3g} of the largest gradient; at most "
                   "{:.3g} is rounding",
                   error,
                   options_.tolerance);
}

void StepGraphs::refuse(Entry& entry, const ModelBatch& rows, const std::string& why) {
  entry.is_refused = true;
  entry.graph.reset();
  entry.inputs = {};
  journal(rows, "refused", why);
  if (!was_told_ && parts_.note) {
    was_told_ = true;
    parts_.note(
        msg::train_no_graph{.rows = rows.mel.size(0), .frames = rows.mel.size(1), .reason = why});
  }
}

void StepGraphs::journal(const ModelBatch& rows, const char* state, const std::string& why) const {
  if (parts_.journal == nullptr) {
    return;
  }
  parts_.journal->record(
      StepGraphState{.shape = {rows.mel.size(0), rows.mel.size(1), rows.tokens.size(1)},
                     .state = state,
                     .why = why});
}

}  // namespace qanat
