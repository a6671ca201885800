// The training loop: takes batches from the ring, submits updates, and decides what is due.
//
// The host runs ahead of the device by as many batches as the ring has slots and reads results when
// they arrive. Saving happens in the background.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include <nlohmann/json.hpp>

#include "base/retry.h"
#include "checkpoint/checkpoint.h"
#include "config/run_config.h"
#include "pipeline/bad_share.h"
#include "train/background_work.h"
#include "train/divergence_guard.h"
#include "train/host_snapshot.h"
#include "train/schedule.h"
#include "train/train_observer.h"
#include "train/train_progress.h"
#include "train/train_step.h"
#include "train/train_task.h"
#include "transfer/transfer_ring.h"

namespace qanat {

struct TrainerOptions {
  Schedule schedule;
  std::int64_t max_steps = 1;  // in all, steps before a resume included
  int batches_per_update = 1;
  std::int64_t save_every = 500;      // steps; 0: nothing is ever saved
  std::int64_t validate_every = 500;  // steps
  std::int64_t render_every = 0;      // steps; 0: never
  std::optional<int> patience;        // validations without improvement
  std::int64_t max_skipped = 20;      // in a row
  BestBy best_by = BestBy::free_running;
  // How often a batch is trained on before the next one is taken. More than once is for measuring
  // what steps cost whose data is free, not for learning.
  int uses_of_batch = 1;
  // The last batch of an update goes back when the parameters are updated, not when it has been
  // read: a loader without a buffer then overlaps with nothing of the step.
  bool hold_batch = false;
  BatchShape largest;                      // of the plan; tried before the first step
  std::int64_t compare_weights_every = 0;  // steps, of several processes; 0: never
  double max_bad_fraction = 0.1;           // of several processes; one counts in its loader
  RetryWait save_retry{};                  // of a checkpoint that the system refuses
  int max_failed_saves = 3;                // in a row, each tried for that long; then the run ends
  TrainStepOptions step;
};

// Everything is the caller's and outlives the trainer.
struct TrainerParts {
  Device& device;
  DeviceStream& stream;  // of the device; the weights of the task were made on it
  TrainTask& task;
  TransferRing& ring;
  std::function<Position(const BatchId&)> position_after;
  CheckpointFolder& checkpoints;
  nlohmann::json state;  // of every checkpoint; the trainer adds "training"
  // Waits for the pipeline to be warm, before the first step; may be absent.
  std::function<void(const std::stop_token&)> open_gate;
  // Renders the evaluation sentences with these EMA weights, in the background; may be absent.
  std::function<void(std::int64_t step, const TensorMap& weights)> render;
  TrainObserver& observer;
  EventSink* journal = nullptr;
};

// For one thread. The destructor waits for the steps that were submitted, a few at most, and for a
// checkpoint that is being written; one that the system refuses has the grace of save_retry.
class Trainer {
 public:
  Trainer(const TrainerOptions& options, TrainerParts parts, TrainProgress progress = {});
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  ~Trainer();

  // Trains until there is a reason to end, saves, and says which. Throws what made it impossible.
  TrainOutcome run(const std::stop_token& stop);

 private:
  void try_largest_shape();
  TrainEnding train(const std::stop_token& stop);
  std::optional<TrainEnding> reason_to_end(const std::stop_token& stop) const;
  // What the processes do next, decided together: one call per update.
  enum class Decision { go, stop, end };
  // What the batches of an update hold, those of this process or of all.
  struct UpdateRows {
    double frames = 0;
    double rows = 0;
    double bad = 0;         // rows whose planned utterance failed
    double epoch_ends = 0;  // 1: with one of the batches
  };
  Decision accumulate(const std::stop_token& stop);
  Decision meet(Decision own, const UpdateRows& rows);
  void add(const DeviceBatch& batch, UpdateRows& rows) const;
  void count_bad(const UpdateRows& all);
  bool is_shared() const;
  bool is_writer() const;
  void compare_weights();
  void release_batch();
  void submit_update();
  void report_finished();
  void report(const FinishedStep& step);
  void drain();
  bool is_due(std::int64_t every) const;
  bool validate();
  enum class Best { no, yes };
  // Whether another save may follow a failed one.
  enum class Save { on_the_way, last };
  void save(Best best, Save place);
  void write_checkpoint(const Checkpoint& checkpoint, std::int64_t step, Best best, Save place);
  // How a save is tried again: until a stop, and in the observer's words.
  RetryWait save_retry() const;
  void wait_for_save();
  void tell(const Message& note) const;
  void journal_saved(std::int64_t step, Best best, Seconds time) const;
  void render();
  void make_snapshots();
  SnapshotRoom room_for(Bytes bytes) const;
  Checkpoint make_checkpoint() const;
  nlohmann::json make_state() const;

  const TrainerOptions options_;
  const TrainerParts parts_;
  TrainProgress progress_;
  std::int64_t first_step_ = 0;
  double all_frames_ = 0;                   // of the update, of all processes
  std::optional<std::int64_t> saved_step_;  // belongs to the job of saving_ while there is one
  int failed_saves_ = 0;                    // in a row; likewise
  Clock::time_point host_busy_since_;
  BatchId last_batch_;
  std::optional<DeviceBatch> batch_;  // that is kept for more uses
  int uses_ = 0;                      // of that one
  DivergenceGuard guard_;
  BadShare bad_share_;  // of all processes
  TrainStep step_;
  std::optional<HostSnapshot> saved_;     // while there is anything to save
  std::optional<HostSnapshot> rendered_;  // of the EMA; while there is anything to render
  std::stop_source saves_end_;            // a save that is refused is not tried for long any more
  std::optional<std::stop_callback<std::function<void()>>> end_saves_on_;  // the stop of run()
  BackgroundWork saving_;  // after what its jobs read
  BackgroundWork rendering_;
};

}  // namespace qanat
