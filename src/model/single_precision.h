// Turns autocast off on the calling thread, while the scope lasts: for what would not survive
// sixteen bits.
#pragma once

#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace qanat {

class SinglePrecision {
 private:
  // As libtorch does it inside of operations that it has cast the arguments of.
  const c10::impl::ExcludeDispatchKeyGuard without_{c10::autocast_dispatch_keyset};
};

}  // namespace qanat
