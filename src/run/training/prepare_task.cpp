#include "training/prepare_task.h"

namespace qanat {

bool prepare_in_turns(RunTask& task,
                      const PrepareRequest& request,
                      ProcessGroup& group,
                      int local_rank) {
  const ProcessRank place = group.rank();
  const auto stopped = [&group] {
    group.fail("stopped before its first step");
    return false;
  };
  if (place.world > 1) {
    PrepareRequest part = request;
    part.share = {.rank = place.rank, .world = place.world};
    part.tell = [](const MessageArg&) {};
    if (!task.prepare(part)) {
      return stopped();
    }
    group.barrier();
  }
  bool is_done = false;
  for (const bool is_turn : {group.rank().rank == 0, local_rank == 0, true}) {
    if (is_turn && !is_done) {
      is_done = task.prepare(request);
      if (!is_done) {
        return stopped();
      }
    }
    group.barrier();
  }
  return true;
}

}  // namespace qanat
