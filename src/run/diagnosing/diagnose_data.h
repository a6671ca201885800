// The sections of `qanat diagnose` about what the user brought: configuration, data set, storage
// and loader. Each says what it saw, or why it could not; none throws for what a data set holds.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "base/progress.h"
#include "config/load_config.h"
#include "dataset/training_sets.h"
#include "diagnose/run_summary.h"
#include "monitor/host_facts.h"
#include "report/full_diagnosis.h"
#include "text/text_front_end.h"

namespace qanat {

// What rules judge of a configuration, on this machine.
SetupFacts setup_facts(const LoadedConfig& config, const HostFacts& host);
// What was given, and keys that do nothing here.
Section configuration_section(const LoadedConfig& config, const SetupFacts& facts);

// Manifest, text and audio headers. Nothing when stopped.
struct DataSetResult {
  Section section;
  std::optional<DataSetFacts> facts{};
};
std::optional<DataSetResult> data_set_section(const RunConfig& config,
                                              const ProgressFn& progress,
                                              const std::stop_token& stop);

// Reads files of the set; `reading` is for the rules.
struct StorageResult {
  Section section;
  std::optional<StorageReading> reading{};
};
StorageResult storage_section(const UtteranceSet& set,
                              Seconds timeout,
                              const std::stop_token& stop);

// Takes batches as fast as they come, until `timeout`.
Section loader_section(const RunConfig& config,
                       const std::shared_ptr<const UtteranceSet>& set,
                       const std::shared_ptr<const TextFrontEnd>& text,
                       Seconds timeout,
                       const std::stop_token& stop);

}  // namespace qanat
