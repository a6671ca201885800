// What the readers of layouts share: lines of text, and where the audio they name lies.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/json_rows.h"
#include "dataset/layout.h"
#include "dataset/manifest_builder.h"

namespace qanat {

std::string_view trim_ends(std::string_view text);

// Lines with their numbers, without their ends; not the blank ones.
template <typename See>
void for_each_line(std::string_view bytes, const See& see) {
  int number = 0;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string_view line = trim_ends(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    ++number;
    if (!line.empty()) {
      see(number, line);
    }
  }
}

// `key value`: the value may have blanks.
std::pair<std::string_view, std::string_view> key_and_value(std::string_view line);

// "train/" of "train/metadata.csv"
std::string folder_of(const std::string& name);

// Names of the files that are read.
std::vector<std::string> names_of(const Layout& layout);
// "shards/a" of "shards/a.tar", and of "shards/a.tar?download=true".
std::string_view stem_of_container(std::string_view name);

// Which folder relative names of audio begin in: that of the list or, for lists that were moved or
// that a recipe reads from above, one above it. The first rows decide.
class AudioBase {
 public:
  AudioBase(ManifestBuilder& builder, std::string folder)
      : builder_(builder), prefix_(std::move(folder)) {}

  std::string path_of(std::string_view audio);
  // An id that does not depend on where the set lies; empty: the path has none to hide.
  std::string id_of(std::string_view audio) const;

 private:
  void find(std::string_view audio);

  ManifestBuilder& builder_;
  std::string prefix_;
  bool is_known_ = false;
  int tried_ = 0;
};

// Leaves out the row of a line.
void refuse(ManifestBuilder& builder, int line, JsonRefusal refusal);

void read_kaldi(ManifestBuilder& builder, const LayoutFile& file);
void read_vctk(ManifestBuilder& builder, const Layout& layout);
void read_parquet_shards(ManifestBuilder& builder, const Layout& layout);
void read_tar_shards(ManifestBuilder& builder, const Layout& layout);
void read_libri(ManifestBuilder& builder, const LayoutFile& file);

}  // namespace qanat
