// Recognizes how a folder lays out a data set, and reads it: the lists, tables and trees that
// speech corpora are published as.
//
// What is recognized is noted in the manifest (ProblemKind::layout). What could be read in several
// ways is an Error that names them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "dataset/manifest.h"
#include "dataset/manifest_builder.h"

namespace qanat {

enum class LayoutKind : std::uint8_t {
  lists,         // files of rows: LJSpeech, Piper, VITS, NeMo, audiofolder, comma and tab files
  common_voice,  // clips/, train.tsv ...
  kaldi,         // wav.scp, text, utt2spk
  lhotse,        // cuts, or recordings and supervisions
  vctk,          // txt/p225/p225_001.txt, wav48.../p225/
  tar,           // shards of WebDataset
  parquet,       // tables with audio in their cells, or with names of files
  libri,         // train-clean-100/19/198/19_198_000000_000000.normalized.txt, or .trans.txt
};

// A file, or for trees a folder; relative to the root.
struct LayoutFile {
  std::string name;
  SplitHint split = SplitHint::none;

  bool operator==(const LayoutFile&) const = default;
};

struct Layout {
  LayoutKind kind = LayoutKind::lists;
  std::filesystem::path root;       // the folder, or the one in it that holds the set
  std::string title;                // "VCTK"
  std::vector<LayoutFile> files;    // what is read
  std::vector<std::string> unused;  // what is there and not read, such as test sets
};

// Nothing: none that is known. Throws Error when there are several, or where the folder holds what
// has to be converted first.
std::optional<Layout> recognize_layout(const std::filesystem::path& folder);

// A pattern of names, such as `shards/train-{000..099}.tar` or `*.tar`. Nothing: it names no file.
std::optional<Layout> layout_of_pattern(const std::string& pattern);

// One container at a URL, or several: `https://host/train-{000..099}.tar`. Throws Error where it
// names anything else.
Layout layout_of_url(const std::string& url);

// One file of rows, or one container.
Layout layout_of_file(const std::filesystem::path& file);

Manifest read_layout(const Layout& layout, const ManifestOptions& options);

// A list with `|`, a table with a header, or JSON Lines: what it is, its bytes say.
void read_rows(ManifestBuilder& builder, const LayoutFile& file);

// Throws Error if the folder has what cannot be read, but could be converted; else does nothing.
void explain_unreadable(const std::filesystem::path& folder);

}  // namespace qanat
