// How far ahead of its consumer a loader is.
#pragma once

namespace qanat {

struct ReadyLevel {
  int batches = 0;     // ready and not taken
  bool ended = false;  // no more will come
};

}  // namespace qanat
