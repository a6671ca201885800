#include "train/step_graphs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "device/device_lost.h"
#include "locale/messages.h"
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
SpeechPart make_inputs(const SpeechPart& part) {
  const ModelBatch& batch = part.batch;
  const torch::Tensor& reference = batch.reference;
  const std::int64_t longest = longest_reference(static_cast<int>(batch.mel.size(1)));
  return {.batch = {.tokens = copy_of(batch.tokens),
                    .token_lengths = copy_of(batch.token_lengths),
                    .mel = copy_of(batch.mel),
                    .mel_lengths = copy_of(batch.mel_lengths),
                    .reference = torch::zeros({reference.size(0), longest, reference.size(2)},
                                              reference.options()),
                    .reference_lengths = copy_of(batch.reference_lengths),
                    .speakers = copy_of(batch.speakers),
                    .mel_weights = copy_of(batch.mel_weights)},
          .durations = copy_of(part.durations),
          .row_weights = copy_of(part.row_weights)};
}

void fill(const SpeechPart& inputs, const SpeechPart& part) {
  const torch::NoGradGuard no_grad;
  const ModelBatch& to = inputs.batch;
  const ModelBatch& from = part.batch;
  overwrite(to.tokens, from.tokens);
  overwrite(to.token_lengths, from.token_lengths);
  overwrite(to.mel, from.mel);
  overwrite(to.mel_lengths, from.mel_lengths);
  overwrite(to.reference.narrow(1, 0, from.reference.size(1)), from.reference);
  overwrite(to.reference_lengths, from.reference_lengths);
  overwrite(to.speakers, from.speakers);
  overwrite(to.mel_weights, from.mel_weights);
  overwrite(inputs.durations, part.durations);
  overwrite(inputs.row_weights, part.row_weights);
}

}  // namespace

struct StepGraphs::Entry {
  int runs = 0;
  bool is_refused = false;
  SpeechPart inputs;
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

void StepGraphs::add(const SpeechPart& part, const SpeechOptions& options) {
  const Key key{part.batch.mel.size(0), part.batch.mel.size(1), part.batch.tokens.size(1)};
  std::unique_ptr<Entry>& entry = entries_[key];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
  }
  if (entry->graph != nullptr) {
    fill(entry->inputs, part);
    entry->graph->replay();
    return;
  }
  if (entry->is_refused || num_recorded_ >= options_.most || ++entry->runs <= options_.warm_ups) {
    add_speech_gradient(parts_.model, part, options, parts_.sums);
    return;
  }
  record(*entry, part, options);
}

// Adds the gradient of the part exactly once, as computed, whether or not the recording succeeds.
void StepGraphs::record(Entry& entry, const SpeechPart& part, const SpeechOptions& options) {
  const torch::Tensor& gradient = parts_.model.gradient;
  Computed computed;
  std::string why = why_not_fitting([&] { computed.before = gradient.clone(); });
  // Where this does not fit, nothing has been added yet, and the caller tries smaller parts.
  add_speech_gradient(parts_.model, part, options, parts_.sums);
  if (why.empty()) {
    why = why_not_fitting([&] {
      computed.after = gradient.clone();
      computed.sums = parts_.sums.clone();
    });
  }
  if (why.empty()) {
    why = why_unusable(entry, computed, part, options);
    gradient.copy_(computed.after);
    parts_.sums.copy_(computed.sums);
  }
  if (why.empty()) {
    ++num_recorded_;
    journal(part, "recorded", "");
    return;
  }
  refuse(entry, part, why);
}

std::string StepGraphs::why_unusable(Entry& entry,
                                     const Computed& computed,
                                     const SpeechPart& part,
                                     const SpeechOptions& options) {
  try {
    return try_recording(entry, computed, part, options);
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  } catch (const c10::OutOfMemoryError& error) {  // the gradient is there, so no split is needed
    return error.what_without_backtrace();
  }
}

std::string StepGraphs::try_recording(Entry& entry,
                                      const Computed& computed,
                                      const SpeechPart& part,
                                      const SpeechOptions& options) {
  entry.inputs = make_inputs(part);
  fill(entry.inputs, part);
  entry.graph = parts_.stream.capture([this, inputs = entry.inputs, options] {
    add_speech_gradient(parts_.model, inputs, options, parts_.sums);
  });
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

void StepGraphs::refuse(Entry& entry, const SpeechPart& part, const std::string& why) {
  entry.is_refused = true;
  entry.graph.reset();
  entry.inputs = {};
  journal(part, "refused", why);
  if (!was_told_ && parts_.note) {
    was_told_ = true;
    parts_.note(msg::train_no_graph{
        .rows = part.batch.mel.size(0), .frames = part.batch.mel.size(1), .reason = why});
  }
}

void StepGraphs::journal(const SpeechPart& part, const char* state, const std::string& why) const {
  if (parts_.journal == nullptr) {
    return;
  }
  parts_.journal->record(StepGraphState{
      .shape = {part.batch.mel.size(0), part.batch.mel.size(1), part.batch.tokens.size(1)},
      .state = state,
      .why = why});
}

}  // namespace qanat
