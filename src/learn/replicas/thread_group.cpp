#include "replicas/thread_group.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "locale/messages/devices.h"
#include "replicas/exchange_queue.h"

namespace qanat {
namespace {

// Where ranks leave what they have and take what the others left: one round per call.
class Table {
 public:
  explicit Table(const ThreadGroupOptions& options) : options_(options) {}

  // By rank, once all have come.
  std::vector<torch::Tensor> exchange(const std::string& line, int rank, torch::Tensor values) {
    std::unique_lock lock(mutex_);
    const std::int64_t round = rounds_[{line, rank}]++;
    Round& here = open_[{line, round}];
    here.values.resize(static_cast<std::size_t>(options_.world));
    here.values[static_cast<std::size_t>(rank)] = std::move(values);
    ++here.count;
    changed_.notify_all();
    const auto timeout = std::chrono::duration<double>(options_.timeout.count());
    if (!changed_.wait_for(
            lock, timeout, [&] { return here.count >= options_.world || !failure_.empty(); })) {
      failed_ = missing_rank(here);
      failure_ = "silent";
      changed_.notify_all();
      throw ReplicaLost(
          msg::replica_silent{.rank = failed_, .host = "", .silence = options_.timeout, .step = 0});
    }
    if (here.count < options_.world) {
      throw ReplicaLost(
          msg::replica_failed{.rank = failed_, .host = "", .step = 0, .reason = failure_});
    }
    std::vector<torch::Tensor> all = here.values;
    if (++here.taken == options_.world) {
      open_.erase({line, round});
    }
    return all;
  }

  void fail(int rank, std::string_view reason) {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) {
      failed_ = rank;
      failure_ = reason;
    }
    changed_.notify_all();
  }

  // What a rank's link is busy with comes after what it already carries.
  void carry(std::int64_t bytes) const {
    if (options_.bytes_per_second > 0) {
      std::this_thread::sleep_for(
          std::chrono::duration<double>(static_cast<double>(bytes) / options_.bytes_per_second));
    }
  }

  const ThreadGroupOptions& options() const { return options_; }

 private:
  struct Round {
    std::vector<torch::Tensor> values;
    int count = 0;
    int taken = 0;
  };

  static int missing_rank(const Round& round) {
    int rank = 0;
    while (round.values[static_cast<std::size_t>(rank)].defined()) {
      ++rank;
    }
    return rank;
  }

  const ThreadGroupOptions options_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::pair<std::string, int>, std::int64_t> rounds_;
  std::map<std::pair<std::string, std::int64_t>, Round> open_;
  int failed_ = 0;
  std::string failure_;
};

class ThreadGroup : public ProcessGroup {
 public:
  ThreadGroup(int rank, std::shared_ptr<Table> table)
      : rank_(rank),
        table_(std::move(table)),
        random_(table_->options().seed * 1000 + static_cast<std::uint64_t>(rank)) {}

  ProcessRank rank() const override { return {.rank = rank_, .world = table_->options().world}; }
  std::string host(int rank) const override {
    return table_->options().one_host ? "threads" : "thread" + std::to_string(rank);
  }
  std::string backend() const override { return "threads"; }

  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override {
    const std::int64_t width = sending.format == ExchangeFormat::bf16 ? 2 : 4;
    return queue_.start([this, values, width] { all_reduce(values, width); });
  }

  void broadcast(const torch::Tensor& values) override {
    delay();
    const torch::NoGradGuard no_grad;
    values.copy_(table_->exchange("data", rank_, values.clone())[0]);
  }

  std::vector<double> all_gather(std::span<const double> values) override {
    delay();
    const torch::Tensor own =
        torch::tensor(std::vector<double>(values.begin(), values.end()), torch::kF64);
    std::vector<double> all;
    for (const torch::Tensor& one : table_->exchange("control", rank_, own)) {
      const auto* const first = one.data_ptr<double>();
      all.insert(all.end(), first, first + values.size());
    }
    return all;
  }

  std::vector<std::string> gather_texts(const std::string& own) override {
    delay();
    const torch::Tensor letters = torch::empty(static_cast<std::int64_t>(own.size()), torch::kU8);
    std::ranges::copy(own, letters.data_ptr<std::uint8_t>());
    std::vector<std::string> texts;
    for (const torch::Tensor& one : table_->exchange("control", rank_, letters)) {
      const auto* const first = one.data_ptr<std::uint8_t>();
      texts.emplace_back(first, first + one.numel());
    }
    return texts;
  }

  std::string share(std::string text) override { return gather_texts(text).front(); }

  void barrier() override { all_gather({}); }
  void at_step(std::int64_t /*step*/) override {}
  void fail(std::string_view reason) noexcept override { table_->fail(rank_, reason); }

 private:
  void all_reduce(const torch::Tensor& values, std::int64_t width) {
    const torch::NoGradGuard no_grad;
    delay();
    const std::vector<torch::Tensor> all = table_->exchange("data", rank_, values.clone());
    table_->carry(values.numel() * width);
    torch::Tensor sum = all[0].clone();
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      sum.add_(all[rank]);
    }
    values.copy_(sum);
  }

  void delay() {
    if (table_->options().max_delay > Seconds{0}) {
      double seconds = 0;
      {
        const std::lock_guard lock(mutex_);
        seconds =
            std::uniform_real_distribution<double>(0, table_->options().max_delay.count())(random_);
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    }
  }

  const int rank_;
  const std::shared_ptr<Table> table_;  // shared by all ranks
  std::mutex mutex_;                    // guards random_
  std::mt19937_64 random_;
  ExchangeQueue queue_;
};

}  // namespace

std::vector<std::unique_ptr<ProcessGroup>> make_thread_groups(const ThreadGroupOptions& options) {
  const auto table = std::make_shared<Table>(options);
  std::vector<std::unique_ptr<ProcessGroup>> groups;
  for (int rank = 0; rank < options.world; ++rank) {
    groups.push_back(std::make_unique<ThreadGroup>(rank, table));
  }
  return groups;
}

}  // namespace qanat
