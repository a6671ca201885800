#include "diagnosing/diagnose_data.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "app/dataset_sources.h"
#include "app/loader_options.h"
#include "app/make_loader.h"
#include "base/error.h"
#include "config/check_config.h"
#include "config/field_list.h"
#include "dataset/dataset_check.h"
#include "experiment/experiment.h"
#include "metrics/order_statistics.h"

namespace qanat {
namespace {

// A finding of a section: known for sure, worth no measured time.
Finding plain_finding(std::string id, std::string title, FindingSeverity severity) {
  return {.id = std::move(id),
          .title = std::move(title),
          .severity = severity,
          .gain = {.method = "none"}};
}

void check_workers(const RunConfig& config, const HostFacts& host, SectionResult& result) {
  const int cores = allowed_cores(host);
  if (!config.data.num_workers || *config.data.num_workers <= cores) {
    return;
  }
  Finding finding = plain_finding("CFG008",
                                  fmt::format("data.num_workers: {} on {} core{}",
                                              *config.data.num_workers,
                                              cores,
                                              cores == 1 ? "" : "s"),
                                  FindingSeverity::warn);
  finding.evidence = {{.metric = "workers",
                       .value = static_cast<double>(*config.data.num_workers),
                       .unit = "threads"},
                      {.metric = "cores", .value = static_cast<double>(cores), .unit = "cores"}};
  finding.fixes = {
      {.key = "data.num_workers", .flag = fmt::format("--num-workers {}", std::max(1, cores - 1))}};
  finding.verify = "qanat diagnose --verify CFG008";
  finding.may_be_wrong = "workers that mostly wait for storage may outnumber cores";
  result.section.lines.push_back(finding.title);
  result.findings.push_back(std::move(finding));
}

void check_budgets(const RunConfig& config, const HostFacts& host, SectionResult& result) {
  const std::optional<Bytes> free = free_memory(host);
  const Bytes wanted = make_loader_options(config, host, 1).budget;
  const bool given = config.pipeline.memory_budget || config.pipeline.feature_cache;
  const Bytes both = wanted + feature_cache_budget(config, host);
  if (!given || !free || both <= *free) {
    return;
  }
  Finding finding = plain_finding("CFG008",
                                  fmt::format("pipeline.memory_budget and pipeline.feature_cache "
                                              "may take {} MB, {} MB are free",
                                              both.value >> 20,
                                              free->value >> 20),
                                  FindingSeverity::warn);
  finding.evidence = {{.metric = "wanted", .value = static_cast<double>(both.value), .unit = "B"},
                      {.metric = "free", .value = static_cast<double>(free->value), .unit = "B"}};
  finding.fixes = {{.key = "pipeline.feature_cache",
                    .flag = fmt::format("--set pipeline.feature_cache={}", free->value >> 22)}};
  finding.verify = "qanat diagnose: the memory section";
  finding.may_be_wrong = "a small data set never fills them";
  result.section.lines.push_back(finding.title);
  result.findings.push_back(std::move(finding));
}

Finding inert_finding(const std::vector<std::string>& notes) {
  Finding finding = plain_finding("CFG007",
                                  fmt::format("{} key{} given that {} nothing here: {}",
                                              notes.size(),
                                              notes.size() == 1 ? " is" : "s are",
                                              notes.size() == 1 ? "does" : "do",
                                              fmt::join(notes, "; ")),
                                  FindingSeverity::info);
  finding.evidence = {
      {.metric = "keys", .value = static_cast<double>(notes.size()), .unit = "keys"}};
  finding.fixes = {
      {.key = std::string(kSystemFix), .flag = "remove them, or change what they need"}};
  finding.verify = "qanat config show";
  return finding;
}

void describe(const DatasetReport& report, SectionResult& result) {
  std::vector<std::string>& lines = result.section.lines;
  lines.push_back(fmt::format("{:<17} {} rows, {} usable, {:.2f} hours",
                              "utterances",
                              report.rows,
                              report.usable.utterances,
                              report.usable.duration.count() / 3600));
  for (std::size_t kind = 0; kind < report.counts.size(); ++kind) {
    if (report.counts[kind] > 0) {
      lines.push_back(fmt::format("{:<17} {} x {}",
                                  to_string(severity_of(static_cast<ProblemKind>(kind))),
                                  report.counts[kind],
                                  explain(static_cast<ProblemKind>(kind))));
    }
  }
  result.section.figures = {{"rows", report.rows},
                            {"usable", report.usable.utterances},
                            {"seconds", report.usable.duration.count()},
                            {"errors", count_of(report, Severity::error)},
                            {"warnings", count_of(report, Severity::warning)}};
}

void judge(const DatasetReport& report, const RunConfig& config, SectionResult& result) {
  const std::string command = "qanat data check " + *config.data.train_data;
  if (report.dropped() > 0) {
    const double share = static_cast<double>(report.dropped()) /
                         static_cast<double>(std::max<std::int64_t>(report.rows, 1));
    Finding finding = plain_finding(
        "DATA001",
        fmt::format("{} of {} rows of the data set are not used", report.dropped(), report.rows),
        share >= 0.05 ? FindingSeverity::warn : FindingSeverity::info);
    finding.evidence = {{.metric = "dropped_share", .value = share, .unit = "1"}};
    finding.fixes = {{.key = std::string(kSystemFix), .flag = command + " lists them by line"}};
    finding.verify = command;
    result.findings.push_back(std::move(finding));
  }
  if (report.usable.utterances > 0 && report.usable.utterances < config.data.batch_size) {
    Finding finding = plain_finding("DATA002",
                                    fmt::format("data.batch_size: {} is more than the {} "
                                                "utterances of the set",
                                                config.data.batch_size,
                                                report.usable.utterances),
                                    FindingSeverity::warn);
    finding.evidence = {{.metric = "utterances",
                         .value = static_cast<double>(report.usable.utterances),
                         .unit = "utterances"}};
    finding.fixes = {{.key = "data.batch_size",
                      .flag = fmt::format("--batch-size {}", report.usable.utterances)}};
    finding.verify = "qanat diagnose --verify DATA002";
    result.findings.push_back(std::move(finding));
  }
}

std::string describe_pass(const char* name, const Reading<ReadPass>& pass) {
  if (!pass) {
    return fmt::format("{:<17} unknown: {}", name, pass.why_not());
  }
  return fmt::format(
      "{:<17} {:.1f} MB/s; a file {:.2f} ms, 95 % below {:.2f} ms; opening one {:.3f} ms",
      name,
      (*pass).bytes_per_second() / 1e6,
      1000 * (*pass).file_p50,
      1000 * (*pass).file_p95,
      1000 * (*pass).open_p50);
}

// Batches as fast as they come.
ExperimentRecord take_batches(Loader& loader, Seconds longest, const std::stop_token& stop) {
  constexpr std::int64_t kEnough = 400;
  const Clock::time_point begin = Clock::now();
  LoaderConsumer consumer(loader);
  return run_experiment(
      {.consumer = consumer,
       .warm_up = 1,
       .steps = kEnough,
       .enough = [&](const ExperimentRecord&) { return seconds_since(begin) >= longest; },
       .stop = stop});
}

std::vector<double> intervals_of(const ExperimentRecord& record) {
  std::vector<double> intervals;
  std::ranges::transform(record.deliveries, std::back_inserter(intervals), &Delivery::seconds);
  return intervals;
}

}  // namespace

SectionResult configuration_section(const LoadedConfig& config, const HostFacts& host) {
  SectionResult result{.section = {.name = "configuration"}};
  std::vector<std::string> given;
  for (const FieldEntry& field : list_fields(config.values)) {
    if (config.origins.contains(field.key)) {
      given.push_back(fmt::format("{}: {}", field.key, field.value));
    }
  }
  result.section.lines.push_back(fmt::format(
      "{:<17} {}", "given", given.empty() ? "nothing" : fmt::to_string(fmt::join(given, ", "))));
  const std::vector<std::string> notes =
      inert_notes(config, {.trainer = true, .gpu = config.values.pipeline.virtual_gpus > 0});
  for (const std::string& note : notes) {
    result.section.lines.push_back(note);
  }
  if (!notes.empty()) {
    result.findings.push_back(inert_finding(notes));
  }
  check_workers(config.values, host, result);
  check_budgets(config.values, host, result);
  if (result.findings.empty()) {
    result.section.lines.emplace_back("every key that was given has an effect");
  }
  return result;
}

std::optional<SectionResult> data_set_section(const RunConfig& config,
                                              const ProgressFn& progress,
                                              const std::stop_token& stop) {
  SectionResult result{.section = {.name = "data set"}};
  try {
    const TextFrontEnd text(make_text_config(config.data));
    CheckOptions options = make_check_options(config, read_host_facts());
    options.depth = CheckDepth::headers;
    options.index_progress = progress;
    options.stop = stop;
    const std::optional<DatasetReport> report =
        check_dataset(options, make_check_sources(text, kMel.sample_rate));
    if (!report) {
      return std::nullopt;
    }
    describe(*report, result);
    judge(*report, config, result);
    if (report->unusable) {
      result.section.skipped = *report->unusable;
    }
  } catch (const Error& error) {
    result.section.skipped = error.what();
  }
  return result;
}

StorageResult storage_section(const UtteranceSet& set,
                              Seconds longest,
                              const std::stop_token& stop) {
  StorageResult result{.section = {.name = "storage"}};
  std::vector<std::filesystem::path> files;
  for (const Utterance& utterance : set.manifest.utterances) {
    files.push_back(audio_path(set.manifest, utterance));
  }
  const Result<StorageReading> reading = probe_storage(files, {.longest = longest, .stop = stop});
  if (!reading) {
    result.section.skipped = reading.failure().what;
    return result;
  }
  result.reading = reading.value();
  result.section.lines = {fmt::format("{:<17} {}, {:.0f} kB each",
                                      "files",
                                      files.size(),
                                      reading.value().mean_file_bytes / 1e3),
                          describe_pass("cold, one thread", reading.value().cold),
                          describe_pass("from memory", reading.value().warm)};
  if (reading.value().unreadable > 0) {
    result.section.lines.push_back(
        fmt::format("{:<17} {}", "unreadable", reading.value().unreadable));
  }
  result.section.figures = to_json(reading.value());
  return result;
}

DiagnosisSection loader_section(const RunConfig& config,
                                const std::shared_ptr<const UtteranceSet>& set,
                                const std::shared_ptr<const TextFrontEnd>& text,
                                Seconds longest,
                                const std::stop_token& stop) {
  DiagnosisSection section{.name = "loader"};
  try {
    const std::unique_ptr<Loader> loader = make_loader(config, {.set = set, .text = text});
    const ExperimentRecord record = take_batches(*loader, longest, stop);
    const std::vector<double> intervals = intervals_of(record);
    const PipelineStats stats = loader->stats();
    if (intervals.empty()) {
      section.skipped = "fewer than two batches came in time";
      return section;
    }
    const double mean_interval = mean(intervals);
    section.lines = {
        fmt::format("{:<17} {:.1f} batches/s of {} utterances, as fast as they come",
                    "rate",
                    1 / mean_interval,
                    config.data.batch_size),
        fmt::format("{:<17} {:.1f} ms, 95 % below {:.1f} ms",
                    "a batch",
                    1000 * quantile(intervals, 0.5),
                    1000 * quantile(intervals, 0.95)),
        fmt::format("{:<17} {:.1f} ms", "first batch", 1000 * record.first->count()),
        fmt::format("{:<17} {}", "workers", stats.active_workers),
        fmt::format("{:<17} {:.1f} % of the frames", "padding", 100 * stats.padding_share())};
    if (stats.bad > 0) {
      section.lines.push_back(fmt::format("{:<17} {} rows", "substituted", stats.bad));
    }
    section.figures = {{"batches_per_s", 1 / mean_interval},
                       {"batch_p50_s", quantile(intervals, 0.5)},
                       {"batch_p95_s", quantile(intervals, 0.95)},
                       {"first_batch_s", record.first->count()},
                       {"workers", stats.active_workers}};
  } catch (const Error& error) {
    section.skipped = error.what();
  }
  return section;
}

}  // namespace qanat
