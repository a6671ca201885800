#include "experiment/paced_consumer.h"

#include <condition_variable>
#include <mutex>

#include <sys/resource.h>

#include "monitor/resident_memory.h"

namespace qanat {
namespace {

// Busy as far as anyone can see from outside: gone for that long, unless stopped.
void be_busy(Seconds step, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, step, [] { return false; });
}

Seconds to_seconds(const timeval& time) {
  return Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6);
}

}  // namespace

nlohmann::json to_json(const PacedReading& reading) {
  nlohmann::json object = {{"name", reading.name},
                           {"workers", reading.workers},
                           {"batch", reading.batch},
                           {"wanted_batches_per_s", reading.wanted_batches_per_s},
                           {"batches_per_s", reading.batches_per_s},
                           {"wait_share", reading.wait_share},
                           {"cores", reading.cores},
                           {"first_batch_s", reading.first_batch.count()}};
  if (reading.memory_mb) {
    object["memory_mb"] = *reading.memory_mb;
  }
  return object;
}

PacedReading consume_at_pace(const TakeBatch& take,
                             const Pace& pace,
                             Clock::time_point begin,
                             const std::stop_token& stop) {
  PacedReading reading;
  reading.wanted_batches_per_s = pace.batches_per_second;
  if (!take(stop)) {
    return reading;
  }
  reading.first_batch = seconds_since(begin);
  const Seconds step(1 / pace.batches_per_second);
  const Clock::time_point start = Clock::now();
  const Seconds cpu = process_cpu_time();
  Seconds waited{0};
  double batches = 0;
  while (!stop.stop_requested() && seconds_since(start) < pace.duration) {
    be_busy(step, stop);
    const Clock::time_point asked = Clock::now();
    if (!take(stop)) {
      break;
    }
    waited += seconds_since(asked);
    ++batches;
  }
  const Seconds wall = seconds_since(start);
  reading.batches_per_s = batches / wall.count();
  reading.wait_share = waited / wall;
  reading.cores = (process_cpu_time() - cpu) / wall;
  if (const std::optional<Bytes> peak = peak_resident_memory()) {
    reading.memory_mb = static_cast<double>(peak->value) / (1024.0 * 1024.0);
  }
  return reading;
}

Seconds process_cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return to_seconds(usage.ru_utime) + to_seconds(usage.ru_stime);
}

}  // namespace qanat
