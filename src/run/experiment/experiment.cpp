#include "experiment/experiment.h"

#include <condition_variable>
#include <mutex>
#include <numeric>

#include "monitor/neighbours.h"

namespace qanat {
namespace {

void be_away(Seconds step, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, step, [] { return false; });
}

// The experiment between its first batch and its last.
class Experiment {
 public:
  explicit Experiment(const ExperimentRequest& request) : request_(request) {}

  ExperimentRecord run() {
    if (!warm_up()) {
      return std::move(record_);
    }
    if (request_.on_warm) {
      request_.on_warm();
    }
    const NeighbourWatch watch;
    const Seconds cpu = process_cpu_time();
    const Clock::time_point begin = Clock::now();
    measure();
    record_.wall = seconds_since(begin);
    record_.cpu = process_cpu_time() - cpu;
    record_.others_share = watch.others_share();
    return std::move(record_);
  }

 private:
  std::optional<Delivery> take() {
    std::optional<Delivery> delivery = request_.consumer.take(request_.stop);
    if (!delivery) {
      return std::nullopt;
    }
    if (taken_++ == 0) {
      record_.first = seconds_since(begin_);
    }
    if (request_.progress) {
      request_.progress(taken_, request_.warm_up + request_.steps);
    }
    return delivery;
  }

  bool warm_up() {
    while (taken_ < request_.warm_up) {
      if (!take()) {
        return false;
      }
    }
    request_.consumer.finish();
    return true;
  }

  void measure() {
    while (std::ssize(record_.deliveries) < request_.steps &&
           !(request_.enough && request_.enough(record_))) {
      const std::optional<Delivery> delivery = take();
      if (!delivery) {
        request_.consumer.finish();
        return;
      }
      record_.deliveries.push_back(*delivery);
    }
    request_.consumer.finish();
    record_.complete = true;
  }

  const ExperimentRequest& request_;
  const Clock::time_point begin_ = Clock::now();
  std::int64_t taken_ = 0;
  ExperimentRecord record_;
};

double sum_of(const std::vector<Delivery>& deliveries, double Delivery::*field) {
  return std::accumulate(
      deliveries.begin(), deliveries.end(), 0.0, [field](double sum, const Delivery& delivery) {
        return sum + delivery.*field;
      });
}

}  // namespace

double ExperimentRecord::seconds() const {
  return sum_of(deliveries, &Delivery::seconds);
}

double ExperimentRecord::waited() const {
  return sum_of(deliveries, &Delivery::wait);
}

std::optional<Delivery> LoaderConsumer::take(const std::stop_token& stop) {
  if (step_ && last_) {
    be_away(*step_, stop);
  }
  const Clock::time_point asked = Clock::now();
  const std::optional<Batch> batch = loader_.next(stop);
  if (!batch) {
    return std::nullopt;
  }
  const Clock::time_point now = Clock::now();
  const Seconds wait = now - asked;
  // At a pace, what the timer oversleeps is no fault of the loader.
  const Seconds since = step_ ? *step_ + wait : now - last_.value_or(now);
  const auto lengths = batch->mel_lengths();
  last_ = now;
  return Delivery{.seconds = since.count(),
                  .wait = wait.count(),
                  .frames = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}),
                  .padded_frames = static_cast<std::int64_t>(batch->rows()) * batch->frames(),
                  .rows = batch->rows()};
}

ExperimentRecord run_experiment(const ExperimentRequest& request) {
  return Experiment(request).run();
}

}  // namespace qanat
