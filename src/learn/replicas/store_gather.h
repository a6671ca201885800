// What hosts say to each other where there is no Gloo: rank 0 collects the texts of a round and
// says them all, over c10d's store. A round costs each process at most four requests, however many
// there are; while it waits it makes none, because the store answers when the text is there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "replicas/process_group.h"
#include "replicas/store_listener.h"

namespace qanat {

// For one thread at a time. Calls throw what c10d throws, when it is not that somebody is late.
class StoreGather {
 public:
  // `connect` gives a connection of its own each time, whose calls wait for a text for as long as
  // hear() may take.
  StoreGather(std::function<StorePointer()> connect, ProcessRank place);

  // Begins a round, in which this rank says `own`. All ranks take part in all rounds.
  void begin(std::string own);
  // The texts by rank; nothing when they did not come in time, which is seconds: the caller looks
  // whether somebody is gone, and asks again.
  std::optional<std::vector<std::string>> hear();
  // Ends a round that is only about having come: all but rank 0 go at once, which waits until all
  // have said so. Then nobody needs the store of rank 0 any more. Whether it is done.
  bool part();

  // The next text of rank 0, which says it and does not wait. Nothing: as hear().
  bool share(const std::string& text);
  std::optional<std::string> shared();

 private:
  void say(c10d::Store& store);
  std::vector<std::string> collected(c10d::Store& store) const;

  StoreListener listener_;
  const ProcessRank place_;
  std::int64_t round_ = 0;
  std::int64_t num_shared_ = 0;
  std::string own_;        // of this round
  bool has_said_ = false;  // in this round
};

}  // namespace qanat
