// A configuration and its field list as text for people and for files.
#pragma once

#include <string>

#include "config/load_config.h"
#include "locale/translator.h"

namespace qanat {

// YAML that reads back to the same RunConfig; values that are not defaults say where they came
// from in a comment.
std::string to_yaml(const LoadedConfig& config);

// docs/*/configuration.md: every key with meaning, kind, default and flag.
std::string config_reference(const Translator& words);

}  // namespace qanat
