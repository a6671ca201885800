// A run in TensorBoard, while it runs: losses, learning rate, gradient norm, speed, the step time
// breakdown, validation, evaluation sentences to hear and to see, and the verdict.
//
// Works on a thread of its own; record() does not wait, whatever the disk does. Events that come
// faster than they can be written are dropped and counted. Values are flushed whenever all that
// came is written, so that a viewer is never behind. A run of very many steps is written in
// points that are means over as many steps as keep a file below some 20 MB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "telemetry/background_queue.h"
#include "telemetry/tensorboard_file.h"
#include "telemetry/timed_event.h"

namespace qanat {

// Turns events into records. For one thread.
class TensorBoardWriter {
 public:
  static constexpr std::int64_t kMaxPoints = 20'000;

  explicit TensorBoardWriter(const std::filesystem::path& folder);

  void take(const TimedEvent& timed);
  void flush() { file_.flush(); }
  const std::filesystem::path& path() const { return file_.path(); }

 private:
  // Sums over the steps of a point.
  struct Point {
    std::int64_t steps = 0;
    std::int64_t frames = 0;
    std::int64_t skipped = 0;
    StepLosses losses;
    double gradient_norm = 0;
    StepPhases phases;
  };

  BoardTime time_of(const TimedEvent& timed, std::int64_t step) const;
  void start(const RunStart& run, const TimedEvent& timed);
  void add_step(const StepRecord& step, const TimedEvent& timed);
  void put_point(const BoardTime& time, const StepRecord& newest);
  void put_validation(const ValidationDone& done, const TimedEvent& timed);
  void put_render(const EvaluationRendered& render, const TimedEvent& timed);

  const Clock::time_point steady_now_ = Clock::now();
  const double wall_now_;
  TensorBoardFile file_;
  std::int64_t first_step_ = 0;
  std::int64_t newest_step_ = 0;
  std::int64_t steps_per_point_ = 1;
  Point point_;
};

// Thread-safe. The destructor waits until what has come is written.
class TensorBoardSink final : public EventSink {
 public:
  // Throws Error when the folder cannot be written.
  explicit TensorBoardSink(const std::filesystem::path& folder);

  void record(const JournalEvent& event) override;

  // Writes what has come; nothing is written after it. What was left out and why, for people;
  // nothing when all is well.
  std::optional<Message> finish();

 private:
  static constexpr std::size_t kCapacity = 4096;

  TensorBoardWriter writer_;
  BackgroundQueue<TimedEvent> queue_;  // last: uses the writer
};

}  // namespace qanat
