// Page-locked host blocks: memory a device can read without the host's help.
//
// The host backend locks pages as far as the process may (RLIMIT_MEMLOCK) and goes on with plain
// memory where it may not, as a copy from it is only slower.
#pragma once

#include <memory>

#include "batch/block_pool.h"

namespace qanat {

std::unique_ptr<BlockAllocator> make_pinned_allocator();

}  // namespace qanat
