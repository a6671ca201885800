// The flags of a command that are fields of the run's configuration, with --config and --set.
//
//   void declare(Flags& flags) override { flags_.declare(flags, {"data", "training.seed"}); }
//   ExitCode run(const CommandContext& c) override { const LoadedConfig config = flags_.load(); ...
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/flags.h"
#include "config/field_list.h"
#include "config/load_config.h"

namespace qanat {

// A part of a command; lives as long as the CLI::App it declared flags on. Not thread-safe.
class ConfigFlags {
 public:
  ConfigFlags() = default;
  ConfigFlags(const ConfigFlags&) = delete;
  ConfigFlags& operator=(const ConfigFlags&) = delete;
  ~ConfigFlags() = default;

  // `keys` are sections ("data") or single fields ("training.seed"); every one that has a flag
  // gets it. --set and --config reach all fields either way.
  void declare(Flags& flags, std::initializer_list<std::string_view> keys);

  // After parsing. Throws ConfigError with all problems.
  LoadedConfig load() const { return load_config(request_); }
  // The same for commands that cannot do without training data. Throws UsageError without.
  LoadedConfig load_with_data() const;

 private:
  void add_field(Flags& flags, const FieldEntry& field);
  CLI::Option* add_value(CLI::App& app, const FieldEntry& field, const std::string& name);
  CLI::Option* add_switch(CLI::App& app,
                          const FieldEntry& field,
                          const std::string& name,
                          const char* value);
  void take(const std::string& key, const std::string& name, const std::string& text);

  ConfigRequest request_;
};

}  // namespace qanat
