// The arrays of a batch as other languages see them: plain pointers and shapes, and DLPack tensors
// in the capsules that Python passes around.
#pragma once

#include "batch/batch.h"
#include "capi/loader_session.h"
#include "capi/qanat.h"

namespace qanat {

// Null data where the batch has no such array. Points into the batch.
qanat_array array_of(const Batch& batch, qanat_field field);

// A new reference to a capsule (see qanat_loader_python) that shares the batch. Null where there is
// no such array. For a process with a Python.
void* make_capsule(const SharedBatch& batch, qanat_field field, int major);

// A new reference to a capsule around an ArrayStruct. It does not keep the batch: who asks does.
// Null where there is no such array. For a process with a Python.
void* make_array_struct(const Batch& batch, qanat_field field);

}  // namespace qanat
