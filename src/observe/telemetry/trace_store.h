// Keeps a trace within a budget of memory, however long the run: its beginning, its newest part,
// and what lies between of the few groups of records that matter most. The rest is counted. For one
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.h"

namespace qanat {

class TraceStore {
 public:
  // Records of one group are wanted together: those of one batch, from utterance to step.
  using Group = std::uint64_t;
  static constexpr Group kNoGroup = 0;
  static constexpr std::size_t kKeptGroups = 20;

  explicit TraceStore(Bytes budget);

  // Records that belong together; they are kept, or left out, as one.
  void add(std::string_view records, Group group = kNoGroup);

  // How much a group matters: the groups that matter most keep all their records. To be said while
  // they are still among the newest.
  void rate(Group group, double importance);

  struct Contents {
    std::string_view head;
    std::vector<std::string_view> middle;
    std::deque<std::string_view> tail;
  };
  // Views into the store, in the order of add().
  Contents contents() const;
  // Calls of add() whose records are gone.
  std::int64_t left_out() const { return left_out_; }
  Bytes size() const;

 private:
  struct Record {
    Group group = kNoGroup;
    std::size_t size = 0;
  };
  struct Chunk {
    std::string bytes;
    std::vector<Record> records;
  };
  struct Kept {
    Group group = kNoGroup;
    std::string bytes;
  };

  void drop(const Chunk& chunk);
  void forget(Group group);

  std::size_t head_budget_;
  std::size_t middle_budget_;
  std::size_t rest_budget_;  // of middle and tail
  std::size_t chunk_;
  std::string head_;
  std::map<std::int64_t, Kept> middle_;  // by the order in which they came
  std::size_t middle_bytes_ = 0;
  std::int64_t dropped_ = 0;  // calls of add() that are out of the tail
  std::deque<Chunk> tail_;
  std::size_t tail_bytes_ = 0;
  std::int64_t left_out_ = 0;
  std::map<Group, double> ratings_;  // of the groups that matter most
};

}  // namespace qanat
