// The fields of a RunConfig as data, for readers, writers and help. The only place that walks
// visit_fields; everything else in config/ and cli/ works on this list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "config/run_config.h"
#include "config/scalar.h"

namespace qanat {

struct FieldEntry {
  std::string section;   // "data"
  std::string key;       // "data.batch_size"
  FieldSpec spec;        // its texts live as long as the program
  std::string expected;  // "a whole number from 1 to 65536"
  std::string value;     // as YAML
  bool is_bool = false;  // a flag without a value sets it
};

// In the order of the file, with the values of `config`.
std::vector<FieldEntry> list_fields(const RunConfig& config);
std::vector<SectionSpec> list_sections();

// "--train-data,--data-path" as a list; the off-flag is not in it.
std::vector<std::string> flag_names(const FieldSpec& spec);

// Sets one field. A key that does not exist, a value of the wrong kind or out of range is a
// Failure that says what was expected; the config is then unchanged.
Result<Done> assign_field(RunConfig& config, std::string_view key, const Scalar& value);

// The key a person most likely wanted, for one that does not exist.
std::string unknown_key_advice(std::string_view key);

// {"data": {"batch_size": 16, ...}, ...}; an absent value is null.
nlohmann::json to_json(const RunConfig& config);

}  // namespace qanat
