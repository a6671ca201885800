// What a task makes before the pipeline, in all processes of a run: one makes it, the others find
// it.
#pragma once

#include "replicas/process_group.h"
#include "training/run_task.h"

namespace qanat {

// Each makes its share. Then the first process, then the first of every other machine, then the
// rest: each finds what is stored where it can see it, and makes the rest. Collective. False when
// stopped: the others are told.
bool prepare_in_turns(RunTask& task,
                      const PrepareRequest& request,
                      ProcessGroup& group,
                      int local_rank);

}  // namespace qanat
