// A few dozen short clips for runs that are about loading, not about learning.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/make_loader.h"

namespace qanat {

class SelftestCorpus {
 public:
  static constexpr int kClips = 96;  // of 0.4 to 2.4 s

  // Writes the clips below `folder`.
  explicit SelftestCorpus(const std::filesystem::path& folder);

  // What every run on it is configured with.
  std::vector<std::string> sets() const;
  LoaderRequest loader() const;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<TextFrontEnd> text_;         // shared with the loaders
  std::shared_ptr<const UtteranceSet> clips_;  // shared with the loaders
};

}  // namespace qanat
