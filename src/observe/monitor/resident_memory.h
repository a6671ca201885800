// The memory of this process that is really there, as the kernel counts it.
#pragma once

#include <optional>

#include "base/quantity.h"

namespace qanat {

// The most that was resident, since the start or restart_peak_memory(); absent where the kernel
// does not say.
std::optional<Bytes> peak_resident_memory();

// Resets the peak to what is resident now, after returning freed memory to the kernel. No effect
// where the kernel does not allow it.
void restart_peak_memory();

}  // namespace qanat
