// Makes one Manifest of the rows of one data set, whatever list or layout they come from: finds
// their audio, decides their language, and leaves out, with a reason, what cannot be used.
//
// For the readers of this module. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/audio_locator.h"
#include "dataset/manifest.h"
#include "dataset/manifest_parser.h"

namespace qanat {

class ManifestBuilder {
 public:
  ManifestBuilder(std::filesystem::path root, const ManifestOptions& options);

  // Rows and problems that follow are of this file or folder, relative to the root.
  void begin_source(std::string name);
  // What the rows are made of; counts for Manifest::content_hash.
  void add_content(std::string_view bytes);

  // Reads the whole file, whose rows begin a source. Throws Error if it cannot be.
  std::string read_source(const std::string& name);

  // `row` is text: well-formed, with what it needs.
  void add(const ManifestRow& row, SplitHint split);
  // The cells of `row` are any bytes.
  void check_and_add(const ManifestRow& row, SplitHint split);
  // The same of a row whose audio is in a container; `row.audio` names it there.
  void add_stored(const ManifestRow& row, const ClipPlace& place, SplitHint split);
  // Returns its number for ClipPlace.
  std::uint32_t add_container(std::unique_ptr<const ClipContainer> container);
  // Leaves a row out.
  void report(ProblemKind kind, const ManifestRow& row, MessageArg detail);
  // A problem that a parser found, of the present source.
  void add_problem(DatasetProblem problem);
  // What is worth knowing about the source as a whole.
  void note(ProblemKind kind, MessageArg detail);

  AudioLocator& locator() { return locator_; }
  const ManifestOptions& options() const { return options_; }
  const std::filesystem::path& root() const { return manifest_.root; }
  const std::vector<std::string>& sources() const { return manifest_.sources; }

  Manifest finish() &&;

 private:
  // False: the row is left out, and why is reported.
  bool check(const ManifestRow& row);
  // Nothing when the row is left out, and why is reported.
  std::optional<LanguageTag> language_of(const ManifestRow& row);
  void check_script_languages();
  void drop_duplicates();
  std::uint8_t source() const { return static_cast<std::uint8_t>(manifest_.sources.size() - 1); }

  const ManifestOptions& options_;
  AudioLocator locator_;
  Manifest manifest_;
  ClipContainers containers_;
  std::vector<std::uint32_t> undeclared_;  // rows whose script was taken for their language
};

}  // namespace qanat
