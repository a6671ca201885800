// Plays the larger part of a step from recordings, one per shape, where a device can record: the
// host then launches one graph instead of some hundred kernels.
//
// Recorded are encoder, decoder, their losses and their backward pass. The aligner stays outside:
// its durations are found on the host. A shape is recorded when it has come often enough to be
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
#include "train/speech_gradient.h"

namespace qanat {

struct StepGraphParts {
  DeviceStream& stream;
  TrainedModel& model;
  torch::Tensor sums;  // f32 [kLossSums], shared with the step
  EventSink* journal = nullptr;
  std::function<void(const Message&)> note;  // for the user; may be absent
};

struct StepGraphOptions {
  int warm_ups = 2;         // times a shape is computed before it is recorded
  double tolerance = 0.02;  // of the largest gradient: bf16 sums in another order
  std::size_t most = 32;    // recordings: each keeps memory of its own
};

class StepGraphs {
 public:
  StepGraphs(StepGraphParts parts, const StepGraphOptions& options);
  StepGraphs(const StepGraphs&) = delete;
  StepGraphs& operator=(const StepGraphs&) = delete;
  ~StepGraphs();

  // As add_speech_gradient(), with the same result. `options` are the same every time.
  void add(const SpeechPart& part, const SpeechOptions& options);

 private:
  struct Entry;
  struct Computed;
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // rows, frames, tokens

  void record(Entry& entry, const SpeechPart& part, const SpeechOptions& options);
  // Empty, or why the recording must not be used. Leaves the gradient undefined.
  std::string why_unusable(Entry& entry,
                           const Computed& computed,
                           const SpeechPart& part,
                           const SpeechOptions& options);
  std::string try_recording(Entry& entry,
                            const Computed& computed,
                            const SpeechPart& part,
                            const SpeechOptions& options);
  void refuse(Entry& entry, const SpeechPart& part, const std::string& why);
  void journal(const SpeechPart& part, const char* state, const std::string& why) const;

  const StepGraphParts parts_;
  const StepGraphOptions options_;
  std::map<Key, std::unique_ptr<Entry>> entries_;
  std::size_t num_recorded_ = 0;
  bool was_told_ = false;  // the user, of a shape that could not be recorded
};

}  // namespace qanat
