#include "diagnosing/diagnose_data.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "base/error.h"
#include "config/check_config.h"
#include "config/field_list.h"
#include "dataset/dataset_check.h"
#include "experiment/experiment.h"
#include "locale/message_error.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/profiles.h"
#include "locale/translator.h"
#include "metrics/order_statistics.h"
#include "report/known_names.h"

namespace qanat {
namespace {

void describe(const DatasetReport& report, Section& section) {
  section.facts = {
      {.name = msg::data_utterances{},
       .parts = {{.key = "rows", .name = msg::data_rows{}, .value = report.rows},
                 {.key = "usable", .name = msg::data_usable{}, .value = report.usable.utterances},
                 {.key = "seconds",
                  .name = msg::data_length{},
                  .value = in_seconds(report.usable.duration.count())}}},
      {.key = "errors", .value = figure_of(count_of(report, Severity::error))},
      {.key = "warnings", .value = figure_of(count_of(report, Severity::warning))}};
  for (std::size_t i = 0; i < report.counts.size(); ++i) {
    const auto kind = static_cast<ProblemKind>(i);
    if (report.counts[i] > 0) {
      section.facts.push_back(
          {.name = in_words(to_string(severity_of(kind))),
           .value = msg::data_problem{.count = report.counts[i], .what = explain(kind)}});
    }
  }
}

Value pass_value(const Reading<ReadPass>& pass) {
  if (!pass) {
    return msg::host_unknown{.why = in_words(pass.why_not())};
  }
  return msg::storage_pass{.rate = in_bytes_per_second((*pass).bytes_per_second()),
                           .p50 = in_seconds((*pass).file_p50),
                           .p95 = in_seconds((*pass).file_p95),
                           .open = in_seconds((*pass).open_p50)};
}

// Batches as fast as they come.
ExperimentRecord take_batches(Loader& loader, Seconds timeout, const std::stop_token& stop) {
  constexpr std::int64_t kEnough = 400;
  const Clock::time_point begin = Clock::now();
  LoaderConsumer consumer(loader);
  return run_experiment(
      {.consumer = consumer,
       .warm_up = 1,
       .steps = kEnough,
       .enough = [&](const ExperimentRecord&) { return seconds_since(begin) >= timeout; },
       .stop = stop});
}

std::vector<double> intervals_of(const ExperimentRecord& record) {
  std::vector<double> intervals;
  std::ranges::transform(record.deliveries, std::back_inserter(intervals), &Delivery::seconds);
  return intervals;
}

// What came out of a loader that nobody held up.
struct LoaderFigures {
  Seconds first{0};
  std::vector<double> intervals{};  // s between batches
  PipelineStats stats{};
};

void describe(const LoaderFigures& figures, int batch_size, Section& section) {
  const double rate = 1 / mean(figures.intervals);
  const double p50 = quantile(figures.intervals, 0.5);
  const double p95 = quantile(figures.intervals, 0.95);
  section.facts = {
      {.key = "batches_per_s",
       .name = msg::loader_rate{},
       .value = {msg::loader_rate_value{.rate = plain(rate, 1), .rows = batch_size}, rate}},
      {.name = msg::loader_batch{},
       .value = msg::loader_batch_value{.p50 = in_seconds(p50), .p95 = in_seconds(p95)}},
      {.key = "batch_p50_s", .value = figure_of(p50)},
      {.key = "batch_p95_s", .value = figure_of(p95)},
      {.key = "first_batch_s",
       .name = msg::loader_first{},
       .value = in_seconds(figures.first.count())},
      {.key = "workers", .name = msg::profile_workers{}, .value = figures.stats.active_workers},
      {.name = msg::profile_padding{},
       .value = msg::loader_padding_value{.share = in_percent(figures.stats.padding_share(), 1)}}};
  if (figures.stats.bad > 0) {
    section.facts.push_back({.name = msg::loader_substituted{}, .value = figures.stats.bad});
  }
}

}  // namespace

SetupFacts setup_facts(const LoadedConfig& config, const HostFacts& host) {
  const RunConfig& values = config.values;
  SetupFacts facts{.workers = values.data.num_workers,
                   .cores = allowed_cores(host),
                   .virtual_gpus = values.pipeline.virtual_gpus};
  for (const Message& note :
       inert_notes(config, {.trainer = true, .gpu = values.pipeline.virtual_gpus > 0})) {
    facts.inert_keys.emplace_back(note);
  }
  if (values.pipeline.memory_budget || values.pipeline.feature_cache) {
    const Bytes wanted =
        make_loader_options(values, host, 1).budget + feature_cache_budget(values, host);
    facts.memory_wanted = static_cast<double>(wanted.value);
  }
  if (const std::optional<Bytes> free = free_memory(host)) {
    facts.memory_free = static_cast<double>(free->value);
  }
  return facts;
}

Section configuration_section(const LoadedConfig& config, const SetupFacts& facts) {
  Section section{.key = "configuration", .title = msg::diagnose_configuration{}};
  MessageArg::List given;
  for (const FieldEntry& field : list_fields(config.values)) {
    if (config.origins.contains(field.key)) {
      given.emplace_back(fmt::format("{}: {}", field.key, field.value));
    }
  }
  section.facts.push_back(
      {.name = msg::config_given{},
       .value = given.empty() ? Value(msg::config_nothing{}) : Value(MessageArg(given))});
  section.remarks = facts.inert_keys;
  if (!given.empty() && facts.inert_keys.empty()) {
    section.remarks.emplace_back(msg::config_all_used{});
  }
  return section;
}

std::optional<DataSetResult> data_set_section(const RunConfig& config,
                                              const ProgressFn& progress,
                                              const std::stop_token& stop) {
  DataSetResult result{.section = {.key = "data set", .title = msg::diagnose_data_set{}}};
  try {
    TextFrontEnd text(make_text_config(config.data));
    CheckOptions options = make_check_options(config, read_host_facts());
    options.depth = CheckDepth::headers;
    options.index_progress = progress;
    options.stop = stop;
    options.manifest.store.stop = stop;
    const std::optional<DatasetReport> report =
        check_dataset(options, make_check_sources(text, kMel.sample_rate));
    if (!report) {
      return std::nullopt;
    }
    describe(*report, result.section);
    result.facts = DataSetFacts{.folder = *config.data.train_data,
                                .rows = report->rows,
                                .dropped = report->dropped(),
                                .usable = report->usable.utterances,
                                .batch_size = config.data.batch_size};
    if (report->unusable) {
      result.section.skipped = *report->unusable;
    }
  } catch (const Error& error) {
    result.section.skipped = reason_of(error);
  }
  return result;
}

namespace {

// That of the clip, or that of the container it is in.
std::filesystem::path file_with(const Manifest& manifest, const Utterance& utterance) {
  std::filesystem::path file = audio_path(manifest, utterance);
  std::error_code ignored;
  while (container_of(manifest, utterance) != nullptr && file.has_relative_path() &&
         !std::filesystem::is_regular_file(file, ignored)) {
    file = file.parent_path();
  }
  return file;
}

}  // namespace

StorageResult storage_section(const UtteranceSet& set,
                              Seconds timeout,
                              const std::stop_token& stop) {
  StorageResult result{.section = {.key = "storage", .title = msg::diagnose_storage{}}};
  std::vector<std::filesystem::path> files;
  for (const Utterance& utterance : set.manifest.utterances) {
    std::filesystem::path file = file_with(set.manifest, utterance);
    if (files.empty() || files.back() != file) {
      files.push_back(std::move(file));
    }
  }
  const Result<StorageReading> reading = probe_storage(files, {.timeout = timeout, .stop = stop});
  if (!reading) {
    result.section.skipped = in_words(reading.failure().what);
    return result;
  }
  result.reading = reading.value();
  result.section.facts = {
      {.name = msg::storage_files{},
       .value = msg::storage_file_value{.files = files.size(),
                                        .bytes = in_bytes(reading.value().mean_file_bytes)}},
      {.name = msg::storage_cold{}, .value = pass_value(reading.value().cold)},
      {.name = msg::storage_warm{}, .value = pass_value(reading.value().warm)}};
  if (reading.value().unreadable > 0) {
    result.section.facts.push_back(
        {.name = msg::storage_unreadable{}, .value = reading.value().unreadable});
  }
  add_figures(to_json(reading.value()), result.section);
  return result;
}

Section loader_section(const RunConfig& config,
                       const std::shared_ptr<const UtteranceSet>& set,
                       const std::shared_ptr<const TextFrontEnd>& text,
                       Seconds timeout,
                       const std::stop_token& stop) {
  Section section{.key = "loader", .title = msg::diagnose_loader{}};
  try {
    const std::unique_ptr<Loader> loader = make_loader(config, {.set = set, .text = text});
    const ExperimentRecord record = take_batches(*loader, timeout, stop);
    const std::vector<double> intervals = intervals_of(record);
    if (intervals.empty()) {
      section.skipped = msg::diagnose_few_batches{};
      return section;
    }
    describe({.first = *record.first, .intervals = intervals, .stats = loader->stats()},
             config.data.batch_size,
             section);
  } catch (const Error& error) {
    section.skipped = reason_of(error);
  }
  return section;
}

}  // namespace qanat
