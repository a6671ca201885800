// The fields of a RunConfig as data, for readers, writers and help. The only place that walks
// visit_fields; everything else in config/ and cli/ works on this list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/message.h"
#include "config/field.h"
#include "config/run_config.h"
#include "config/scalar.h"

namespace qanat {

// on_off: a flag without a value sets it; choices: some of a few words, separated by commas.
enum class FieldKind { on_off, choice, choices, text, number };

struct FieldEntry {
  std::string section;  // "data"
  std::string key;      // "data.batch_size"
  FieldSpec spec;       // its texts live as long as the program
  Message expected;     // "a whole number from 1 to 65536"
  std::string value;    // as YAML
  FieldKind kind;
  MessageId heading;  // of its section, above its flags in --help
};

// In the order of the file, with the values of `config`.
std::vector<FieldEntry> list_fields(const RunConfig& config);
std::vector<SectionSpec> list_sections();

// "--data,--train-data" as a list; the off-flag is not in it.
std::vector<std::string> flag_names(const FieldSpec& spec);

// Sets one field. What is wrong where the key does not exist, or the value is of the wrong kind or
// out of range; the config is then unchanged.
std::optional<Message> assign_field(RunConfig& config, std::string_view key, const Scalar& value);

// The key a person most likely wanted, for one that does not exist.
std::optional<std::string> nearest_key(std::string_view key);

// {"data": {"batch_size": 16, ...}, ...}; an absent value is null.
nlohmann::json to_json(const RunConfig& config);

}  // namespace qanat
