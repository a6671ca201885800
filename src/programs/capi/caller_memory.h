// Memory of batches that the caller of the C library gives: pinned for a GPU, shared, or counted.
#pragma once

#include <functional>
#include <memory>

#include "batch/block_pool.h"
#include "capi/qanat.h"

namespace qanat {

// Makes an allocator for each loader; empty when `memory` is null.
std::function<std::unique_ptr<BlockAllocator>()> make_blocks_of(const qanat_allocator* memory);

}  // namespace qanat
