// Who ran on the cores, and who was ready and had none: run-queue delay of all threads of the
// process, those of libtorch included.
#pragma once

#include "diagnose/host_summary.h"
#include "metrics/order_statistics.h"

namespace qanat {

// What the threads of this process did between the first and the last sample.
struct CoreUse {
  double wanted = 0;          // cores: ready or running
  double trainer_ran = 0;     // s
  double trainer_waited = 0;  // s
  double loader_ran = 0;      // s
  double loader_waited = 0;   // s
  double loader_queued = 0;   // cores: threads of the loader that were ready and had none
  int loaders = 0;            // threads
  int trainers = 0;           // cores that its threads want, rounded
  // Share of the time in which all threads of the trainer that were ready had a core. They work in
  // lockstep: one that has none holds up the others.
  double trainer_free = 1;
  // The same if they all waited at the same time, and if no two of them did.
  Range trainer_free_range{.low = 1, .high = 1};
  double trainer_alone = 0;  // share of the time that its busiest thread ran: no other can save it

  double trainer_delay() const { return delay(trainer_ran, trainer_waited); }
  double loader_delay() const { return delay(loader_ran, loader_waited); }

 private:
  static double delay(double ran, double waited) {
    return ran + waited > 0 ? waited / (ran + waited) : 0;
  }
};

Reading<CoreUse> core_use(const HostSummary& host);

enum class ThreadRole { trainer, loader };

// Steps of the session, from its first one: those from `moment` on are compared with those before.
struct StepsAround {
  std::int64_t begin = 0;
  std::int64_t moment = 0;
};

// How much longer the threads of a kind waited for a core in a step from a moment on than before
// it, in seconds. Nothing where the samples are too few to tell.
std::optional<double> growth_of_delay(const HostSummary& host,
                                      ThreadRole role,
                                      const StepsAround& steps);

}  // namespace qanat
