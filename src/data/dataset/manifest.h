// The utterances of a data set: read, found, checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/read_ahead.h"
#include "archive/stored_clip.h"
#include "base/language_tag.h"
#include "base/time.h"
#include "dataset/column_names.h"
#include "dataset/problem.h"
#include "dataset/text_use.h"
#include "store/store_settings.h"

namespace qanat {

// What the name of its manifest says an utterance is for.
enum class SplitHint : std::uint8_t {
  none,        // metadata.csv: decided by the hash of the id
  train,       // metadata_train.csv
  validation,  // metadata_eval.csv
};

// What a view keeps of a clip (data_view.h).
struct KeptPart {
  Seconds from{0};
  Seconds to{0};
  Seconds of{0};  // length of the clip when that was decided

  bool operator==(const KeptPart&) const = default;
};

// One line of a manifest, found and checked. A value.
struct Utterance {
  std::string id;       // unique in its set; the audio file's name without `wavs/` and extension
  std::string audio;    // relative to the root, or absolute where the manifest says so
  std::string text;     // the normalised column where there is one, else the raw one
  std::string speaker;  // empty: the manifest does not say
  LanguageTag language;
  SplitHint split = SplitHint::none;
  std::uint8_t source = 0;         // which of the manifest's files
  int line = 0;                    // 1 is the first line of that file
  ClipPlace place{};               // in a container
  std::optional<KeptPart> kept{};  // absent: all of the clip

  bool operator==(const Utterance&) const = default;
};

struct ManifestOptions {
  // The folder of the data set, or one manifest file in it. A folder is read as
  // metadata_train.csv and metadata_eval.csv where one of them is there, else as metadata.csv,
  // else as what layout.h recognizes. Or containers at a URL.
  std::filesystem::path data;
  // Holds where the manifest does not say; unset: by the script of the text, where that decides.
  std::optional<LanguageTag> language;
  TextUse text = TextUse::tokens;
  ColumnChoice columns{};  // of tables; empty: by the names of the columns
  StoreSettings store{};
};

struct Manifest {
  std::filesystem::path root;        // absolute, or a URL
  std::vector<std::string> sources;  // names of the files that were read, relative to the root
  std::vector<Utterance> utterances;
  std::vector<DatasetProblem> problems =
      {};                          // by source and line; every row that is not used is here
  std::int64_t num_rows = 0;       // rows of the files, used or not
  std::uint64_t content_hash = 0;  // of the bytes of the files
  // Where audio lies that is no file of its own; shared by the parts of a set and what reads them.
  std::shared_ptr<const ClipContainers> containers{};
  // Opens clips before they are asked for; shared like the containers. Null: they are not far away.
  std::shared_ptr<ReadAhead> ahead{};
};

// Throws Error when the set as a whole cannot be used: no manifest, not text, no usable row.
Manifest read_manifest(const ManifestOptions& options);

// Throws Error when there is nothing to read: no such folder, or no data set in it. Reads no rows.
void check_manifest_exists(const std::filesystem::path& data);

// The same as read_manifest() for reports: without a usable row it is all problems, not an Error.
Manifest scan_manifest(const ManifestOptions& options);
// What read_manifest() would throw; nothing when there is a usable row.
std::optional<Message> why_unusable(const Manifest& manifest);

// What a reader should know about how the set was read: its layout, columns taken by what they
// hold.
std::vector<MessageArg> reading_notes(const Manifest& manifest);

// The rows named, in that order, as a manifest of its own; without problems.
Manifest select(const Manifest& manifest, std::span<const std::uint32_t> items);

// Rows that are not used; a problem may also be a mere note.
std::int64_t num_left_out(const Manifest& manifest);

// The file, or a name for a clip that is in a container.
std::filesystem::path audio_path(const Manifest& manifest, const Utterance& utterance);

// Where the clips of these utterances lie, in this order; without those that are files of their
// own.
std::vector<ClipPlace> places_of(const Manifest& manifest, std::span<const std::uint32_t> items);

// Null: the audio is a file of its own.
const ClipContainer* container_of(const Manifest& manifest, const Utterance& utterance);

}  // namespace qanat
