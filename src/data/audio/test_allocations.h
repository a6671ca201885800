// How often the test program has called operator new: its own (test_allocations.cpp) counts.
#pragma once

namespace qanat {

int num_allocations();

}  // namespace qanat
