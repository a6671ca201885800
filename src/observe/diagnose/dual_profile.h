// Two devices beside one: what each did, how much of it overlapped, how near the pair came to the
// slower of its two sides, and whether it pays. Pure; the runs are made by app/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/diagnosis.h"
#include "diagnose/recommendation.h"
#include "diagnose/run_comparison.h"
#include "diagnose/turn_comparison.h"
#include "metrics/pipeline_stats.h"

namespace qanat {

// A run of either mode.
struct DualRun {
  RunSummary summary;
  std::optional<double> others_share{};  // see Turn
  int device_cores = 1;
};

// Mean seconds per batch; a stage that does not exist in a mode is absent.
struct StageMeans {
  std::optional<double> load{};     // the ring waited for the loader
  std::optional<double> stage{};    // host to data device
  std::optional<double> prepare{};  // features on the data device
  std::optional<double> copy{};     // to the model device
  double train = 0;                 // the model device worked
  double gap = 0;                   // it did not
};

struct ModeProfile {
  RunMeasures measures{};  // of all runs of the mode, warm-ups left out
  StageMeans stages{};
  double model_busy = 0;              // share of the time
  std::optional<double> data_busy{};  // of the data device
  std::optional<DeviceUse> model{};
  std::optional<DeviceUse> data{};
};

// The words users know, with their limits; they describe, and decide nothing.
enum class Band { good, acceptable, poor, very_poor };
std::string_view to_string(Band band);
Message to_message(Band band);
Band data_gpu_band(double busy);
Band model_gpu_band(double busy);
Band variation_band(double variation);

enum class DualVerdict { pays, does_not_pay, no_difference, incomplete };
std::string_view to_string(DualVerdict verdict);
Message to_message(DualVerdict verdict);

// A replica on each device: see docs/en/modes.md.
struct ReplicaProfile {
  int replicas = 2;
  ModeProfile mode{};          // of the first one
  RunComparison comparison{};  // all of them over one device, frames per second; may be withheld
  double exposed_share = 0;    // of a step, that waits for the gradients of others
};

// What two devices are best used for.
enum class BestUse { unknown, one_device, pair, replicas };
std::string_view to_string(BestUse use);
// By what each is over one device; not known where one of the two is withheld.
BestUse best_use(const RunComparison& pair, const RunComparison& replicas);
// What so many replicas are over one device, when each is `one` over it.
RunComparison of_replicas(RunComparison one, int replicas);

struct DualProfile {
  DualVerdict verdict = DualVerdict::incomplete;
  ModeProfile single{};
  ModeProfile dual{};
  RunComparison comparison{};                // dual over single, frames per second; may be withheld
  double data_per_batch = 0;                 // s: loader or data device, whichever takes longer
  double train_per_batch = 0;                // s
  double ideal = 0;                          // s: the longer of the two
  double efficiency = 0;                     // ideal over the batch time there was; 0.95 is wanted
  double overlap = 0;                        // sum of the devices' busy shares, less one
  bool emulated = false;                     // virtual GPUs; said by whoever made the runs
  std::optional<ReplicaProfile> replicas{};  // absent: they were not measured
  BestUse best = BestUse::unknown;           // of the three, where all were measured
  Diagnosis diagnosis{};  // of the runs on two devices, rules about the pair included
  std::vector<Recommendation> recommended{};
};

inline constexpr double kWantedEfficiency = 0.95;

// Everything after each run's own warm-up, as one run.
RunSummary pooled_summary(std::span<const DualRun> runs);

// Judges all turns as one run. Where other programs disturbed some, only the most disturbed one:
// it knows of them, and what it says of the machine is true of its steps.
Diagnosis diagnose_turns(std::span<const DualRun> runs);

// Runs of one mode, by themselves.
ModeProfile profile_mode(std::span<const DualRun> runs);
Turn to_turn(const DualRun& run);

// Both modes were run at least once, interleaved: element i of both belongs to round i. So do those
// of `replicas`, as the first of two saw them; they may be absent.
DualProfile profile_dual(std::span<const DualRun> dual,
                         std::span<const DualRun> single,
                         std::span<const DualRun> replicas = {});

}  // namespace qanat
