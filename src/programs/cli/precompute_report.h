// What `qanat precompute` says when it is done, for people and for programs.
#pragma once

#include <filesystem>

#include "dataset/dataset_index.h"
#include "dataset/manifest.h"
#include "pipeline/precompute.h"
#include "report/document.h"

namespace qanat {

// What the reports are about.
struct PrecomputeSubject {
  const Manifest& manifest;
  const DatasetIndex& index;
  std::filesystem::path folder;
};

// How much a report says about what was wrong before the run.
enum class PrecomputeDetail { counts, ids };

// What `--verify` prints.
Document to_document(const PrecomputeSubject& subject, const FeatureAudit& audit);
Document to_document(const PrecomputeSubject& subject,
                     const PrecomputeReport& report,
                     PrecomputeDetail detail);

}  // namespace qanat
