#include "diagnose/rules_storage.h"

#include <algorithm>

#include <fmt/format.h>

#include "diagnose/rule_parts.h"
#include "monitor/file_system.h"

namespace qanat {
namespace {

constexpr double kMissing = 0.5;           // of the bytes: most come from storage
constexpr double kDearOpening = 0.3;       // of the time of a file
constexpr double kSmallFile = 256 * 1024;  // bytes
constexpr double kDearDecoding = 0.5;      // of the workers' time
constexpr const char* kNoProbe =
    "storage was not measured in this run; `qanat diagnose` does, on the files of the data set";

const Fix kPrecompute{.key = "data.preprocessing_mode",
                      .flag = "--set data.preprocessing_mode=precompute (after qanat precompute)"};

// Warnings are for what costs the run time; the rest is worth knowing.
Gain gain_if_waiting(const RunMeasures& m) {
  return m.mean_step > 0 && waits_for_data(m) ? gain_without_waiting(m) : no_gain(m);
}

FindingSeverity severity_if_waiting(const RunMeasures& m, const Gain& gain) {
  return m.mean_step > 0 && waits_for_data(m) ? severity_of(gain) : FindingSeverity::info;
}

// The share of rows made from audio files, not from shards or memory.
double from_audio(const PipelineStats& stats) {
  const auto all = stats.from_audio + stats.from_store + stats.from_cache;
  return all > 0 ? static_cast<double>(stats.from_audio) / static_cast<double>(all) : 1;
}

}  // namespace

RuleOutcome storage_too_slow(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!input.trace.storage) {
    return {.skipped = kNoProbe};
  }
  const Reading<ReadPass>& cold = input.trace.storage->cold;
  if (!cold) {
    return {.skipped = cold.why_not()};
  }
  double rows = 0;
  for (const StepRecord& step : m.steady) {
    rows += static_cast<double>(step.rows) * step.batches;
  }
  const double per_step = rows / static_cast<double>(m.steady.size());
  const int workers = input.trace.pipeline ? std::max(input.trace.pipeline->active_workers, 1) : 1;
  const double needed = per_step * input.trace.storage->mean_file_bytes / m.mean_step;
  const double offered = (*cold).bytes_per_second() * workers;
  if (needed <= offered) {
    return {.passed = fmt::format("training reads {:.1f} MB/s, storage gives {:.1f} MB/s cold to "
                                  "{} worker{}",
                                  needed / 1e6,
                                  offered / 1e6,
                                  workers,
                                  workers == 1 ? "" : "s")};
  }
  const bool waits =
      waits_for_data(m) && (!input.trace.pipeline || from_audio(*input.trace.pipeline) > 0);
  const Gain gain = waits ? gain_without_waiting(m) : no_gain(m);
  return {.finding = Finding{
              .id = "IO001",
              .title = fmt::format("training reads {:.1f} MB/s, but storage gives {:.1f} MB/s when "
                                   "files are not in memory",
                                   needed / 1e6,
                                   offered / 1e6),
              .severity = waits ? severity_of(gain) : FindingSeverity::info,
              .evidence = {{.metric = "needed", .value = needed, .unit = "B/s"},
                           {.metric = "cold", .value = offered, .unit = "B/s"},
                           {.metric = "file_p95", .value = (*cold).file_p95, .unit = "s"}},
              .gain = gain,
              .fixes = {kPrecompute,
                        {.key = std::string(kSystemFix),
                         .flag = "copy the data set to a local disk, or read it into memory once: "
                                 "cat wavs/* > /dev/null"}},
              .verify = verify_command("IO001"),
              .may_be_wrong = "later epochs come from memory, if it is large enough"}};
}

RuleOutcome cache_misses(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const Reading<double> asked = input.trace.host->growth(&HostCounters::read_bytes);
  const Reading<double> stored = input.trace.host->growth(&HostCounters::storage_bytes);
  if (!asked || !stored) {
    return {.skipped = asked ? stored.why_not() : asked.why_not()};
  }
  const double all = std::max({*asked, *stored, 1.0});
  const double missed = *stored / all;
  const double rate = input.trace.host->share(&HostCounters::storage_bytes).value().value_or(0);
  if (missed < kMissing || !waits_for_data(m)) {
    return {.passed = fmt::format("{:.0f} % of {:.0f} MB came from storage, the rest from memory",
                                  100 * missed,
                                  all / 1e6)};
  }
  const Gain gain = gain_without_waiting(m);
  return {
      .finding = Finding{
          .id = "IO002",
          .title = fmt::format("the device waits, and {:.0f} % of what was read came from "
                               "storage ({:.1f} MB/s)",
                               100 * missed,
                               rate / 1e6),
          .severity = severity_of(gain),
          .evidence = {{.metric = "storage_share", .value = missed, .unit = "1"},
                       {.metric = "storage_rate", .value = rate, .unit = "B/s"},
                       {.metric = "data_wait_share", .value = m.share(m.ledger.wait), .unit = "1"}},
          .gain = gain,
          .fixes = {kPrecompute},
          .verify = verify_command("IO002"),
          .may_be_wrong = "it is the first epoch: the second finds the files in memory"}};
}

RuleOutcome remote_files(const RuleInput& input) {
  if (!input.trace.host) {
    return {.skipped = kNoHost};
  }
  const Reading<std::string>& kind = input.trace.host->setup.data_file_system;
  if (!kind) {
    return {.skipped = kind.why_not()};
  }
  const FileSystemClass found = classify_file_system(*kind);
  if (found == FileSystemClass::local || found == FileSystemClass::memory) {
    return {.passed = fmt::format("the data lies on {}", *kind)};
  }
  const Gain gain = gain_if_waiting(input.measures);
  const bool network = found == FileSystemClass::network;
  return {.finding = Finding{
              .id = "IO003",
              .title = fmt::format(
                  "the data lies on {} ({})",
                  *kind,
                  network ? "a network or shared file system" : "the layers of a container"),
              .severity = severity_if_waiting(input.measures, gain),
              .evidence = {{.metric = "data_wait_share",
                            .value = input.measures.share(input.measures.ledger.wait),
                            .unit = "1"}},
              .gain = gain,
              .fixes = {{.key = std::string(kSystemFix),
                         .flag = network ? "copy the data set to a local disk"
                                         : "mount the data set into the container: docker run -v"},
                        kPrecompute},
              .verify = "qanat diagnose on the copy: compare the storage section",
              .may_be_wrong = "files stay in the page cache after the first epoch"}};
}

RuleOutcome small_files(const RuleInput& input) {
  if (!input.trace.storage) {
    return {.skipped = kNoProbe};
  }
  const StorageReading& storage = *input.trace.storage;
  const Reading<ReadPass>& pass = storage.cold ? storage.cold : storage.warm;
  if (!pass) {
    return {.skipped = pass.why_not()};
  }
  const double share = (*pass).file_p50 > 0 ? (*pass).open_p50 / (*pass).file_p50 : 0;
  if (storage.mean_file_bytes >= kSmallFile || share < kDearOpening || !storage.cold) {
    return {.passed = fmt::format("files of {:.0f} kB; opening takes {:.0f} % of reading one{}",
                                  storage.mean_file_bytes / 1e3,
                                  100 * share,
                                  storage.cold ? "" : " (from memory)")};
  }
  const Gain gain = gain_if_waiting(input.measures);
  return {.finding = Finding{
              .id = "IO004",
              .title = fmt::format("{} small files: opening one takes {:.0f} % of the time to "
                                   "read it",
                                   storage.files_known,
                                   100 * share),
              .severity = severity_if_waiting(input.measures, gain),
              .evidence = {{.metric = "open_p50", .value = (*pass).open_p50, .unit = "s"},
                           {.metric = "file_p50", .value = (*pass).file_p50, .unit = "s"},
                           {.metric = "mean_file", .value = storage.mean_file_bytes, .unit = "B"}},
              .gain = gain,
              .fixes = {kPrecompute},
              .verify = verify_command("IO004"),
              .may_be_wrong = "names stay in memory after the first epoch"}};
}

RuleOutcome decode_dominates(const RuleInput& input) {
  const RunMeasures& m = input.measures;
  if (!input.trace.pipeline) {
    return {.skipped = "the journal has no line about the loader"};
  }
  const PipelineStats& stats = *input.trace.pipeline;
  const Seconds all = stats.decode.busy + stats.mel.busy + stats.tokens.busy + stats.copy.busy;
  const double share = all > Seconds{0} ? stats.decode.busy / all : 0;
  if (share < kDearDecoding || !waits_for_data(m)) {
    return {.passed = fmt::format("reading and decoding take {:.0f} % of the loader's time, the "
                                  "device waits {:.1f} %",
                                  100 * share,
                                  100 * m.share(m.ledger.wait))};
  }
  Gain gain = gain_without_waiting(m);
  return {
      .finding = Finding{
          .id = "IO005",
          .title = fmt::format("the device waits, and {:.0f} % of the loader's time goes into "
                               "reading, decoding and resampling",
                               100 * share),
          .severity = severity_of(gain),
          .evidence = {{.metric = "decode_share", .value = share, .unit = "1"},
                       {.metric = "data_wait_share", .value = m.share(m.ledger.wait), .unit = "1"}},
          .gain = gain,
          .fixes = {kPrecompute,
                    {.key = std::string(kSystemFix),
                     .flag = "store the audio as 22050 Hz 16-bit WAV: nothing to resample"}},
          .verify = verify_command("IO005"),
          .may_be_wrong = "waiting for storage counts as reading: see IO001 and IO002"}};
}

}  // namespace qanat
