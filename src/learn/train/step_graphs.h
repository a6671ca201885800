// Plays the gradients of microbatches from recordings, one per shape, where a device can record:
// the host then launches one graph instead of some hundred kernels.
//
// A shape is recorded when it has come often enough to be
// warm, and the recording is used only if it gives the gradient that computing gave; else, and
// where recording fails, the shape is computed as before, and the journal says why.
//
// Belongs to one stream, like the model: called inside of its work.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "base/message.h"
#include "device/device.h"
#include "metrics/journal.h"
#include "train/speech_task.h"

namespace qanat {

struct StepGraphParts {
  DeviceStream& stream;
  TrainedModel& model;
  torch::Tensor sums;  // f32 [kLossSums], shared with the step
  EventSink* journal = nullptr;
  std::function<void(const Message&)> note;  // for the user; may be absent
};

class StepGraphs {
 public:
  StepGraphs(StepGraphParts parts, const StepGraphOptions& options);
  StepGraphs(const StepGraphs&) = delete;
  StepGraphs& operator=(const StepGraphs&) = delete;
  ~StepGraphs();

  // Records rows that are never played, and keeps that recording for its memory: all others are
  // made in what it computes in between, so give the largest that will come, before any other
  // comes. Where it fails, each takes what it needs. Adds nothing.
  void reserve(const ModelBatch& largest, const MicrobatchOptions& options);

  // As MicrobatchGradient::run(), with the same result. Weights are part of a recording: when they
  // change, what was recorded before is dropped.
  void add(const ModelBatch& rows, const MicrobatchOptions& options);

 private:
  struct Entry;
  struct Computed;
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // rows, frames, tokens

  void compute(const ModelBatch& rows, const MicrobatchOptions& options);
  void record(Entry& entry, const ModelBatch& rows, const MicrobatchOptions& options);
  // Empty, or why the recording must not be used. Leaves the gradient undefined.
  std::string why_unusable(Entry& entry,
                           const Computed& computed,
                           const ModelBatch& rows,
                           const MicrobatchOptions& options);
  std::string try_recording(Entry& entry,
                            const Computed& computed,
                            const ModelBatch& rows,
                            const MicrobatchOptions& options);
  void refuse(Entry& entry, const ModelBatch& rows, const std::string& why);
  void journal(const ModelBatch& rows, const char* state, const std::string& why) const;

  const StepGraphParts parts_;
  const StepGraphOptions options_;
  std::unique_ptr<DeviceGraph> reserved_;
  std::map<Key, std::unique_ptr<Entry>> entries_;
  LossWeights weights_;  // that they were recorded with
  std::size_t num_recorded_ = 0;
  bool was_told_ = false;  // the user, of a shape that could not be recorded
};

}  // namespace qanat
