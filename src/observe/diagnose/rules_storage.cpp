// Rules about the storage behind the data set.
#include <algorithm>
#include <array>
#include <optional>

#include "diagnose/rule_parts.h"
#include "diagnose/what_if.h"
#include "locale/messages/findings_storage.h"
#include "monitor/file_system.h"

namespace qanat {
namespace {

constexpr double kMissing = 0.5;           // of the bytes: most come from storage
constexpr double kFewBytes = 1 << 20;      // less says nothing about the data
constexpr double kSmallRow = 512;          // bytes: no file of speech is as small
constexpr double kBlockedReading = 0.05;   // of the workers' time: less is no waiting for files
constexpr double kCostlyOpening = 0.3;     // of the time of a file
constexpr double kSmallFile = 256 * 1024;  // bytes
constexpr double kCostlyDecoding = 0.5;    // of the workers' time

// Rows that come without what `saved` of the workers' time goes to.
struct FasterRows {
  Gain gain{};
  std::optional<WhatIf> change{};
};

// The share of busy time spent waiting for files, where the kernel says it.
double blocked_share(const RunMeasures& m) {
  return m.loader && m.loader->split ? m.loader->split->blocked : 1;
}

// Warnings are for what costs the run time; the rest is worth knowing.
FasterRows gain_of_faster_rows(const RuleInput& input, double saved) {
  const RunMeasures& m = input.measures;
  if (!(m.mean_step > 0) || !waits_for_data(m)) {
    return {.gain = no_gain(m)};
  }
  const WhatIf change{.work = std::clamp(1 - saved, 0.0, 1.0)};
  const std::optional<double> predicted = predict_step(input, change);
  return {.gain = predicted ? gain_of_prediction(input, *predicted) : gain_without_waiting(m),
          .change = change};
}

// The share of rows made from audio files, not from shards or memory.
double from_audio(const PipelineStats& stats) {
  const auto all = stats.from_audio + stats.from_store + stats.from_cache;
  return all > 0 ? static_cast<double>(stats.from_audio) / static_cast<double>(all) : 1;
}

RuleOutcome storage_too_slow(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const Reading<ReadPass>& cold = input.summary.storage->cold;
  if (!cold) {
    return skipped_for(cold);
  }
  double rows = 0;
  for (const StepRecord& step : m.steady) {
    rows += static_cast<double>(step.rows) * step.batches;
  }
  const double per_step = rows / static_cast<double>(m.steady.size());
  const int workers =
      input.summary.pipeline ? std::max(input.summary.pipeline->active_workers, 1) : 1;
  const double needed = per_step * input.summary.storage->mean_file_bytes / m.mean_step;
  const double offered = (*cold).bytes_per_second() * workers;
  if (needed <= offered) {
    return passed(msg::io001_ok{.needed = in_bytes_per_second(needed),
                                .offered = in_bytes_per_second(offered),
                                .workers = workers});
  }
  const bool waits =
      waits_for_data(m) && (!input.summary.pipeline || from_audio(*input.summary.pipeline) > 0);
  const auto [gain, change] =
      waits ? gain_of_faster_rows(input, blocked_share(m)) : FasterRows{.gain = no_gain(m)};
  return Finding{.title = msg::io001_title{.needed = in_bytes_per_second(needed),
                                           .offered = in_bytes_per_second(offered)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::needed, needed},
                              {metric::cold, offered},
                              {metric::file_p95, (*cold).file_p95}},
                 .gain = gain,
                 .fixes = {precompute_features(), do_this(msg::io001_copy_or_cache{})},
                 .may_be_wrong = msg::io001_wrong_if{},
                 .change = change};
}

// Whether what was read can be data: rows that are made or come from memory read no file.
bool reads_files(const RuleInput& input, double bytes) {
  const std::optional<PipelineStats>& stats = input.summary.pipeline;
  if (!stats) {
    return true;
  }
  const bool from_memory =
      stats->from_cache > 0 && stats->from_audio == 0 && stats->from_store == 0;
  const double rows = input.measures.loader ? input.measures.loader->rows : 0;
  return !from_memory && bytes >= kSmallRow * rows &&
         blocked_share(input.measures) >= kBlockedReading;
}

RuleOutcome cache_misses(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const Reading<double> asked = input.summary.host->growth(&HostCounters::read_bytes);
  const Reading<double> stored = input.summary.host->growth(&HostCounters::storage_bytes);
  if (!asked || !stored) {
    return skipped_for(asked ? stored : asked);
  }
  const double all = std::max({*asked, *stored, 1.0});
  const double missed = *stored / all;
  const double rate = input.summary.host->share(&HostCounters::storage_bytes).value().value_or(0);
  if (missed < kMissing || all < kFewBytes || !waits_for_data(m) || !reads_files(input, all)) {
    return passed(msg::io002_ok{.share = in_percent(missed), .bytes = in_bytes(all)});
  }
  const auto [gain, change] = gain_of_faster_rows(input, blocked_share(m));
  return Finding{
      .title = msg::io002_title{.share = in_percent(missed), .rate = in_bytes_per_second(rate)},
      .severity = severity_of(gain),
      .evidence = {{metric::storage_share, missed},
                   {metric::storage_rate, rate},
                   {metric::data_wait_share, m.share(m.breakdown.wait)}},
      .gain = gain,
      .fixes = {precompute_features()},
      .may_be_wrong = msg::io002_wrong_if{},
      .change = change};
}

RuleOutcome remote_files(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const Reading<std::string>& kind = input.summary.host->setup.data_file_system;
  if (!kind) {
    return skipped_for(kind);
  }
  const FileSystemClass found = classify_file_system(*kind);
  if (found == FileSystemClass::local || found == FileSystemClass::memory) {
    return passed(msg::io003_ok{.file_system = *kind});
  }
  const auto [gain, change] = gain_of_faster_rows(input, blocked_share(m));
  const bool network = found == FileSystemClass::network;
  return Finding{.title = network ? Message(msg::io003_network_title{.file_system = *kind})
                                  : msg::io003_overlay_title{.file_system = *kind},
                 .severity = severity_of(gain),
                 .evidence = {{metric::data_wait_share, m.share(m.breakdown.wait)}},
                 .gain = gain,
                 .fixes = {do_this(network ? Message(msg::io003_copy{}) : msg::io003_mount{}),
                           precompute_features()},
                 .verify = msg::io003_verify{},
                 .may_be_wrong = msg::io003_wrong_if{},
                 .change = change};
}

RuleOutcome small_files(const RuleInput& input) {
  const StorageReading& storage = *input.summary.storage;
  const Reading<ReadPass>& pass = storage.cold ? storage.cold : storage.warm;
  if (!pass) {
    return skipped_for(pass);
  }
  const double share = (*pass).file_p50 > 0 ? (*pass).open_p50 / (*pass).file_p50 : 0;
  const Quantity bytes = in_bytes(storage.mean_file_bytes);
  if (!storage.cold) {
    return passed(msg::io004_ok_from_memory{.bytes = bytes, .share = in_percent(share)});
  }
  if (storage.mean_file_bytes >= kSmallFile || share < kCostlyOpening) {
    return passed(msg::io004_ok{.bytes = bytes, .share = in_percent(share)});
  }
  const auto [gain, change] = gain_of_faster_rows(input, share * blocked_share(input.measures));
  return Finding{
      .title = msg::io004_title{.files = storage.files_known, .share = in_percent(share)},
      .severity = severity_of(gain),
      .evidence = {{metric::open_p50, (*pass).open_p50},
                   {metric::file_p50, (*pass).file_p50},
                   {metric::mean_file, storage.mean_file_bytes}},
      .gain = gain,
      .fixes = {precompute_features()},
      .may_be_wrong = msg::io004_wrong_if{},
      .change = change};
}

RuleOutcome decode_dominates(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  const PipelineStats& stats = *input.summary.pipeline;
  const Seconds all = stats.decode.busy + stats.mel.busy + stats.tokens.busy + stats.copy.busy;
  if (all == Seconds{0}) {
    return skipped(msg::io005_unknown{}, Missing::loader);
  }
  const double share = stats.decode.busy / all;
  const double wait = m.share(m.breakdown.wait);
  if (share < kCostlyDecoding || !waits_for_data(m)) {
    return passed(msg::io005_ok{.share = in_percent(share), .wait = in_percent(wait, 1)});
  }
  const auto [gain, change] = gain_of_faster_rows(input, share);
  return Finding{.title = msg::io005_title{.share = in_percent(share)},
                 .severity = severity_of(gain),
                 .evidence = {{metric::decode_share, share}, {metric::data_wait_share, wait}},
                 .gain = gain,
                 .fixes = {precompute_features(), do_this(msg::io005_store_wav{})},
                 .may_be_wrong = msg::io005_wrong_if{},
                 .change = change};
}

constexpr Rule storage_rule(std::string_view id,
                            RuleText text,
                            RuleOutcome (*judge)(const RuleInput&),
                            Need needs) {
  return {.id = id,
          .category = RuleCategory::storage,
          .text = text,
          .judge = judge,
          .needs = needs,
          .verdict = VerdictKind::input_bound};
}

}  // namespace

std::span<const Rule> storage_rules() {
  static constexpr std::array kRules = {
      storage_rule("IO001",
                   text_of<msg::io001_looks_for, msg::io001_means, msg::io001_remedy>(),
                   storage_too_slow,
                   Need::steps | Need::storage),
      storage_rule("IO002",
                   text_of<msg::io002_looks_for, msg::io002_means, msg::io002_remedy>(),
                   cache_misses,
                   Need::steps | Need::host),
      storage_rule("IO003",
                   text_of<msg::io003_looks_for, msg::io003_means, msg::io003_remedy>(),
                   remote_files,
                   Need::host),
      storage_rule("IO004",
                   text_of<msg::io004_looks_for, msg::io004_means, msg::io004_remedy>(),
                   small_files,
                   Need::storage),
      storage_rule("IO005",
                   text_of<msg::io005_looks_for, msg::io005_means, msg::io005_remedy>(),
                   decode_dominates,
                   Need::steps | Need::loader),
  };
  return kRules;
}

}  // namespace qanat
