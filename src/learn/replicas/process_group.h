// The processes that train one model together: what they say to each other, and what they do when
// one of them is gone.
//
// Every call but rank(), host(), at_step() and fail() is collective: all processes make the same
// calls in the same order, each on the same of its threads. start_all_reduce() and broadcast() are
// for the work of the stream the tensors belong to, the others for the host's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "base/time.h"
#include "config/run_config.h"
#include "locale/message_error.h"

namespace qanat {

struct ProcessRank {
  int rank = 0;
  int world = 1;

  bool operator==(const ProcessRank&) const = default;
};

// A process of the group is gone, or said why it goes; the message names it.
class ReplicaLost : public MessageError {
 public:
  using MessageError::MessageError;
};

// A sum that is on its way. Its tensor may not be touched before wait().
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Whatever the calling stream does next sees the sum. Throws ReplicaLost.
  virtual void wait() = 0;
  // How long it took; absent where only the device knows.
  virtual std::optional<Seconds> took() const = 0;
};

// How values travel. Implicit: a format says it all where memory is not short.
struct Sending {
  Sending(ExchangeFormat numbers) : format(numbers) {}  // NOLINT(google-explicit-constructor)
  Sending(ExchangeFormat numbers, torch::Tensor room) : format(numbers), rounded(std::move(room)) {}

  ExchangeFormat format;
  // Room for what is sent as bf16, as many values on the same device; undefined: it is taken when
  // they are sent, which may be when the device's memory is fullest.
  torch::Tensor rounded{};
};

class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  virtual ProcessRank rank() const = 0;
  virtual std::string host(int rank) const = 0;  // the name of its machine
  virtual std::string backend() const = 0;       // "gloo"

  // All-reduce: starts to replace the contiguous `values` by their sum over all ranks, bit by bit
  // the same everywhere. What was started first is exchanged first.
  virtual std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                                     const Sending& sending) = 0;
  // Replaces `values` by those of rank 0.
  virtual void broadcast(const torch::Tensor& values) = 0;

  // What every rank says, by rank: [world * values.size()].
  virtual std::vector<double> all_gather(std::span<const double> values) = 0;
  // What every rank says, by rank; texts of any length.
  virtual std::vector<std::string> gather_texts(const std::string& own) = 0;
  // The text of rank 0.
  virtual std::string share(std::string text) = 0;
  // Waits for all processes. For the beginnings and ends of runs.
  virtual void barrier() = 0;

  // Which step this process has come to, for those who look for it when it is gone.
  virtual void at_step(std::int64_t step) = 0;
  // This process goes, and why: the others are told before they wait for it.
  virtual void fail(std::string_view reason) noexcept = 0;
};

class SingleProcess : public ProcessGroup {
 public:
  ProcessRank rank() const override { return {}; }
  std::string host(int rank) const override;
  std::string backend() const override { return ""; }
  std::unique_ptr<Exchange> start_all_reduce(const torch::Tensor& values,
                                             const Sending& sending) override;
  void broadcast(const torch::Tensor& /*values*/) override {}
  std::vector<double> all_gather(std::span<const double> values) override {
    return {values.begin(), values.end()};
  }
  std::vector<std::string> gather_texts(const std::string& own) override { return {own}; }
  std::string share(std::string text) override { return text; }
  void barrier() override {}
  void at_step(std::int64_t /*step*/) override {}
  void fail(std::string_view /*reason*/) noexcept override {}
};

// The name of this machine.
std::string host_name();

}  // namespace qanat
