#include "history/verdict_watch.h"

namespace qanat {

const Diagnosis* VerdictWatch::update() {
  for (bool more = true; more;) {
    const Result<JournalFollower::Progress> progress = watch_.update();
    more = progress && progress.value().more;
  }
  if (watch_.snapshot().ending) {
    return nullptr;
  }
  const Diagnosis& diagnosis = watch_.diagnosis();
  return settled_.observe(diagnosis, watch_.diagnosed_steps()) ? &diagnosis : nullptr;
}

}  // namespace qanat
