// Keeps a trace within a budget of memory, however long the run: its beginning, and its newest
// part. What lies between is counted. For one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/quantity.h"

namespace qanat {

class TraceStore {
 public:
  explicit TraceStore(Bytes budget);

  // Records that belong together; they are kept, or left out, as one.
  void add(std::string_view records);

  struct Contents {
    std::string_view head;
    std::deque<std::string_view> tail;
  };
  // Views into the store.
  Contents contents() const;
  // Calls of add() whose records are gone.
  std::int64_t left_out() const { return left_out_; }
  Bytes size() const;

 private:
  struct Chunk {
    std::string bytes;
    std::int64_t adds = 0;
  };

  std::size_t head_budget_;
  std::size_t tail_budget_;
  std::size_t chunk_;
  std::string head_;
  std::deque<Chunk> tail_;
  std::size_t tail_bytes_ = 0;
  std::int64_t left_out_ = 0;
};

}  // namespace qanat
