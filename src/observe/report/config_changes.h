// What to change in a configuration, as it is typed: a flag, or lines of its file. Derived from the
// list of fields (config/field_list.h). Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "diagnose/recommendation.h"
#include "locale/translator.h"

namespace qanat {

// "--num-workers 3", "--allow-fallback", "--set pipeline.bucket_edges=16"; "num_workers=3" for a
// PyTorch loop; empty for what no key does.
std::string flag_of(const Fix& fix);
// A fix for people: its flag with what has to be done as well, or what to do.
MessageArg to_message_arg(const Fix& fix);
std::string fix_words(const Fix& fix, const Translator& words);

// All of them, to paste behind a command.
std::string flags_of(std::span<const Recommendation> all);
// "data:\n  num_workers: 3\n", `indent` in front of each line.
std::string yaml_of(std::span<const Recommendation> all, std::string_view indent = "");

}  // namespace qanat
