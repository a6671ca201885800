// Pinned host blocks: memory a device can read without the host's help.
//
// The host backend pins memory up to the limit of the process (RLIMIT_MEMLOCK) and uses pageable
// memory beyond it, from which copies are only slower.
#pragma once

#include <memory>

#include "batch/block_pool.h"

namespace qanat {

std::unique_ptr<BlockAllocator> make_pinned_allocator();

}  // namespace qanat
