// The data set of a session: a folder with a manifest, or rows that the caller handed over. What is
// different between the two ends here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/make_loader.h"
#include "capi/loader_settings.h"
#include "capi/row_table.h"
#include "dataset/training_sets.h"
#include "pipeline/clip_source.h"
#include "text/text_front_end.h"

namespace qanat {

struct LoaderSet {
  std::shared_ptr<const UtteranceSet> set;  // shared with the loader
  std::vector<std::string> speakers;        // of the training part, sorted
  std::shared_ptr<const ClipSource> clips;  // shared with the loader; null: files of the set
  ReadTokens read_tokens;                   // empty: those of the front end
  std::vector<double> weights;              // of every utterance; empty: each comes once an epoch
  std::vector<std::string> languages;       // of every utterance, as its row says it; may be none
  std::int32_t num_symbols = 0;             // tokens are below this
};

// Nothing when stopped. `rows` may be null; a copy of what has to last is in the result. Throws
// Error when the set cannot be used.
std::optional<LoaderSet> open_set(const LoaderSettings& settings,
                                  const RowTable* rows,
                                  const std::shared_ptr<TextFrontEnd>& text,
                                  const std::stop_token& stop);

// The rows of the data set on disk that the settings name, as qanat_read_rows() gives them.
nlohmann::json read_rows(const LoaderSettings& settings);

}  // namespace qanat
