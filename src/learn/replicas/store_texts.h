// c10d's store as SharedTexts, and where it is found.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "launch/replica_place.h"
#include "replicas/heartbeat.h"

namespace qanat {

using StorePointer = c10::intrusive_ptr<c10d::Store>;

// One connection to the store of a run, whose names it keeps apart from those of other attempts.
// Rank 0 serves it with its first connection. A listener's calls give up a text that does not come
// after kStorePatience, and the connection with it. Throws MessageError.
enum class StoreRole { first_of_process, another, listener };
inline constexpr Seconds kStorePatience{1};
StorePointer connect_store(const ReplicaPlace& place, Seconds timeout, StoreRole role);

// Ends all connections of this process to the store, also those that a call waits at: c10d waits
// for an answer without bound, and a link that was cut brings none. Thread-safe.
void shut_store_connections(const ReplicaPlace& place) noexcept;

// A store keeps bytes.
inline std::vector<std::uint8_t> to_store_bytes(const std::string& text) {
  return {text.begin(), text.end()};
}
inline std::string from_store_bytes(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

class StoreTexts : public SharedTexts {
 public:
  // Connects now, and again after a call that failed: what a late answer leaves in a connection
  // would be read by the next call.
  explicit StoreTexts(std::function<StorePointer()> connect)
      : connect_(std::move(connect)), store_(connect_()) {}

  void set(const std::string& name, const std::string& text) override;
  std::optional<std::string> get(const std::string& name) override;
  std::string set_once(const std::string& name, const std::string& text) override;

 private:
  template <typename Call>
  auto with_store(const Call& call) {
    const std::lock_guard lock(mutex_);
    if (!store_) {
      store_ = connect_();
    }
    try {
      return call(*store_);
    } catch (...) {
      store_.reset();
      throw;
    }
  }

  const std::function<StorePointer()> connect_;
  std::mutex mutex_;  // guards store_
  StorePointer store_;
};

}  // namespace qanat
