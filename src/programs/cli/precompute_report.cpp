#include "cli/precompute_report.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "locale/messages/precompute.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

// As many of each kind as a person reads; --json has them all.
constexpr std::size_t kMaxLines = 20;

struct StateName {
  FeatureState state;
  std::string_view key;
  MessageId name;
};

// All that are not fresh, in the order of reports.
constexpr std::array kStale = {
    StateName{FeatureState::missing, "missing", msg::precompute_missing::id},
    StateName{FeatureState::audio_changed, "audio_changed", msg::precompute_audio_changed::id},
    StateName{FeatureState::text_changed, "text_changed", msg::precompute_text_changed::id},
    StateName{
        FeatureState::settings_changed, "settings_changed", msg::precompute_settings_changed::id},
    StateName{FeatureState::damaged, "damaged", msg::precompute_damaged::id}};

using Lines = std::vector<MessageArg>;

// A list under its title, the first of its lines; programs get all of it.
Section list_section(MessageId title, std::string_view key, Lines lines, Json all) {
  Section section{.facts = {{.key = std::string(key), .value = figure_of(std::move(all))}}};
  if (lines.empty()) {
    return section;
  }
  section.title = msg::precompute_list{.what = Message{title}, .count = lines.size()};
  const std::size_t more = lines.size() - std::min(lines.size(), kMaxLines);
  lines.erase(lines.end() - static_cast<std::ptrdiff_t>(more), lines.end());
  section.remarks = std::move(lines);
  if (more > 0) {
    section.remarks.emplace_back(msg::precompute_more{.count = more});
  }
  return section;
}

std::string_view name_of(const PrecomputeSubject& subject, std::size_t item) {
  return subject.manifest.utterances[item].id;
}

Section state_section(const PrecomputeSubject& subject,
                      const FeatureAudit& audit,
                      const StateName& state) {
  Lines lines;
  Json ids = Json::array();
  for (std::size_t i = 0; i < audit.states.size(); ++i) {
    if (audit.states[i] == state.state) {
      lines.emplace_back(name_of(subject, i));
      ids.push_back(name_of(subject, i));
    }
  }
  return list_section(state.name, state.key, std::move(lines), std::move(ids));
}

Section failure_section(const PrecomputeSubject& subject,
                        std::string_view key,
                        const std::vector<PrecomputeFailure>& failures) {
  Lines lines;
  Json all = Json::array();
  for (const PrecomputeFailure& failure : failures) {
    const std::string_view id = name_of(subject, failure.item);
    lines.emplace_back(msg::precompute_failure{.name = id, .reason = failure.reason});
    all.push_back({{"id", id}, {"reason", Translator().said(failure.reason)}});
  }
  return list_section(msg::precompute_unusable::id, key, std::move(lines), std::move(all));
}

void add_shard_problems(const FeatureAudit& audit, Document& document) {
  Lines refused;
  Json shards = Json::array();
  for (const FeatureStore::RefusedShard& shard : audit.refused) {
    refused.emplace_back(shard.reason);
    shards.push_back({{"path", shard.path.string()}, {"reason", shard.reason}});
  }
  document.sections.push_back(list_section(
      msg::precompute_refused::id, "refused_shards", std::move(refused), std::move(shards)));
  document.sections.push_back(list_section(msg::precompute_orphaned::id,
                                           "orphaned",
                                           Lines(audit.orphans.begin(), audit.orphans.end()),
                                           audit.orphans));
}

std::vector<PrecomputeFailure> unusable(const DatasetIndex& index) {
  std::vector<PrecomputeFailure> failures;
  for (const IndexFailure& failure : index.failures) {
    failures.push_back({.item = failure.item, .reason = failure.reason});
  }
  return failures;
}

Json counts_json(const FeatureAudit& audit) {
  Json counts = {{"fresh", audit.count(FeatureState::fresh)}};
  for (const StateName& stale : kStale) {
    counts[std::string(stale.key)] = audit.count(stale.state);
  }
  return counts;
}

Section heading(const PrecomputeSubject& subject, Message utterances) {
  return {
      .facts = {
          {.key = "data", .name = msg::precompute_data{}, .value = subject.manifest.root.string()},
          {.key = "folder", .name = msg::precompute_folder{}, .value = subject.folder.string()},
          {.key = "utterances",
           .name = msg::precompute_intact{},
           .value = {std::move(utterances), subject.manifest.utterances.size()}}}};
}

// How many were stale, for those who do not ask which.
void add_stale_counts(const FeatureAudit& audit, Section& section) {
  std::vector<Fact> parts;
  for (const StateName& stale : kStale) {
    const std::int64_t count = audit.count(stale.state);
    if (count > 0 && stale.state != FeatureState::missing) {
      parts.push_back({.value = msg::precompute_list{.what = Message{stale.name}, .count = count}});
    }
  }
  if (!parts.empty()) {
    section.facts.push_back({.name = msg::precompute_found{}, .parts = std::move(parts)});
  }
}

}  // namespace

Document to_document(const PrecomputeSubject& subject, const FeatureAudit& audit) {
  Document document;
  Section& head = document.sections.emplace_back(
      heading(subject,
              msg::precompute_intact_value{.fresh = audit.count(FeatureState::fresh),
                                           .all = subject.manifest.utterances.size()}));
  head.facts.push_back({.key = "ok", .value = figure_of(audit.ok())});
  head.facts.push_back({.key = "counts", .value = figure_of(counts_json(audit))});
  for (const StateName& stale : kStale) {
    document.sections.push_back(state_section(subject, audit, stale));
  }
  add_shard_problems(audit, document);
  document.sections.push_back(failure_section(subject, "unusable", unusable(subject.index)));
  if (!audit.ok()) {
    document.sections.push_back({.remarks = {msg::precompute_repair{}}});
  }
  return document;
}

Document to_document(const PrecomputeSubject& subject,
                     const PrecomputeReport& report,
                     PrecomputeDetail detail) {
  Document document;
  Section& head = document.sections.emplace_back(
      heading(subject,
              msg::precompute_done_value{.all = subject.manifest.utterances.size(),
                                         .made = report.num_made,
                                         .kept = report.found.count(FeatureState::fresh),
                                         .failed = report.failures.size()}));
  if (detail == PrecomputeDetail::counts) {
    add_stale_counts(report.found, head);
  }
  head.facts.push_back({.name = msg::precompute_shards{},
                        .value = msg::precompute_shards_value{
                            .written = report.num_shards,
                            .bytes = in_bytes(static_cast<double>(report.bytes.value)),
                            .dtype = to_string(report.dtype),
                            .removed = report.num_removed}});
  add_figures({{"before", counts_json(report.found)},
               {"made", report.num_made},
               {"kept", report.found.count(FeatureState::fresh)},
               {"dtype", to_string(report.dtype)},
               {"shards_written", report.num_shards},
               {"shards_removed", report.num_removed},
               {"leftovers_removed", report.num_leftovers},
               {"bytes_written", report.bytes.value},
               {"stopped", report.stopped}},
              head);
  if (detail == PrecomputeDetail::ids) {
    for (const StateName& stale : kStale) {
      document.sections.push_back(state_section(subject, report.found, stale));
    }
  }
  add_shard_problems(report.found, document);
  document.sections.push_back(failure_section(subject, "failed", report.failures));
  if (report.stopped) {
    document.sections.push_back({.remarks = {msg::precompute_stopped{}}});
  }
  return document;
}

}  // namespace qanat
