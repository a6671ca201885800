// A connection for calls that wait until another process has said something: the store answers when
// the text is there, and who waits makes no requests meanwhile.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "replicas/store_texts.h"

namespace qanat {

// For one thread at a time.
class StoreListener {
 public:
  // `connect` gives a connection of its own each time, with the patience of a listener.
  explicit StoreListener(std::function<StorePointer()> connect) : connect_(std::move(connect)) {}

  // What `call` returns; nothing when the answer did not come in time: the caller looks whether
  // somebody is gone, and asks again. That is over another connection, because what comes late
  // would answer the next request. Throws Error when the store cannot be reached.
  template <typename Call>
  auto in_time(const Call& call) -> std::optional<decltype(call(std::declval<c10d::Store&>()))> {
    const Clock::time_point begin = Clock::now();
    try {
      if (!store_) {
        store_ = connect_();
      }
      return call(*store_);
    } catch (const std::exception& error) {
      store_.reset();
      if (seconds_since(begin) >= kShortestWait) {
        return std::nullopt;
      }
      throw Error("{}", error.what());  // also where no connection could be made
    }
  }

 private:
  // Less than this is no wait that ran out, but a call that failed.
  static constexpr Seconds kShortestWait{0.4};

  const std::function<StorePointer()> connect_;
  StorePointer store_;  // null: connect again
};

}  // namespace qanat
