// The utterances of a data set: read, found, checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/language.h"
#include "dataset/problem.h"
#include "dataset/utterance.h"

namespace qanat {

struct ManifestOptions {
  // The folder of the data set, or one manifest file in it. A folder is read as
  // metadata_train.csv and metadata_eval.csv where one of them is there, else as metadata.csv.
  std::filesystem::path data;
  // Of rows whose manifest does not say; unset: by the script of the text.
  std::optional<Language> language;
};

struct Manifest {
  std::filesystem::path root;        // absolute
  std::vector<std::string> sources;  // names of the files that were read, relative to the root
  std::vector<Utterance> utterances;
  std::vector<DatasetProblem> problems =
      {};                          // by source and line; every row that is not used is here
  std::int64_t num_rows = 0;       // rows of the files, used or not
  std::uint64_t content_hash = 0;  // of the bytes of the files
};

// Throws Error when the set as a whole cannot be used: no manifest, not text, no usable row.
Manifest read_manifest(const ManifestOptions& options);

// The same for reports: without a usable row it is all problems, not an Error.
Manifest scan_manifest(const ManifestOptions& options);
// What read_manifest() would throw; nothing when there is a usable row.
std::optional<Message> why_unusable(const Manifest& manifest);

// The rows named, in that order, as a manifest of its own; without problems.
Manifest select(const Manifest& manifest, std::span<const std::uint32_t> items);

std::filesystem::path audio_path(const Manifest& manifest, const Utterance& utterance);

}  // namespace qanat
