#include "cli/precompute_report.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace qanat {
namespace {

// As many of each kind as a person reads; --json has them all.
constexpr std::size_t kMostLines = 20;

struct StateName {
  FeatureState state;
  std::string_view key;
};

// All that are not fresh, in the order of reports.
constexpr std::array kStale = {StateName{FeatureState::missing, "missing"},
                               StateName{FeatureState::audio_changed, "audio_changed"},
                               StateName{FeatureState::text_changed, "text_changed"},
                               StateName{FeatureState::settings_changed, "settings_changed"},
                               StateName{FeatureState::damaged, "damaged"}};

using Lines = std::vector<std::string>;

void append_list(std::string& text, std::string_view title, const Lines& lines) {
  if (lines.empty()) {
    return;
  }
  fmt::format_to(std::back_inserter(text), "{}: {}\n", title, lines.size());
  const std::size_t shown = std::min(lines.size(), kMostLines);
  for (std::size_t i = 0; i < shown; ++i) {
    fmt::format_to(std::back_inserter(text), "  {}\n", lines[i]);
  }
  if (shown < lines.size()) {
    fmt::format_to(
        std::back_inserter(text), "  and {} more; --json lists all\n", lines.size() - shown);
  }
}

std::string_view name_of(const PrecomputeSubject& subject, std::size_t item) {
  return subject.manifest.utterances[item].id;
}

Lines ids_in(const PrecomputeSubject& subject, const FeatureAudit& audit, FeatureState state) {
  Lines lines;
  for (std::size_t i = 0; i < audit.states.size(); ++i) {
    if (audit.states[i] == state) {
      lines.emplace_back(name_of(subject, i));
    }
  }
  return lines;
}

Lines refused_lines(const FeatureAudit& audit) {
  Lines lines;
  for (const FeatureStore::RefusedShard& shard : audit.refused) {
    lines.push_back(shard.reason);
  }
  return lines;
}

Lines failure_lines(const PrecomputeSubject& subject,
                    const std::vector<PrecomputeFailure>& failures) {
  Lines lines;
  for (const PrecomputeFailure& failure : failures) {
    lines.push_back(fmt::format("{}: {}", name_of(subject, failure.item), failure.reason));
  }
  return lines;
}

std::vector<PrecomputeFailure> unusable(const DatasetIndex& index) {
  std::vector<PrecomputeFailure> failures;
  for (const IndexFailure& failure : index.failures) {
    failures.push_back({.item = failure.item, .reason = failure.reason});
  }
  return failures;
}

double megabytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / 1e6;
}

std::string heading(const PrecomputeSubject& subject) {
  return fmt::format(
      "data     {}\nfeatures {}\n", subject.manifest.root.string(), subject.folder.string());
}

void append_stale(std::string& text, const PrecomputeSubject& subject, const FeatureAudit& audit) {
  for (const StateName& stale : kStale) {
    append_list(text, to_string(stale.state), ids_in(subject, audit, stale.state));
  }
}

void append_stale_counts(std::string& text, const FeatureAudit& audit) {
  for (const StateName& stale : kStale) {
    const std::int64_t count = audit.count(stale.state);
    if (count > 0 && stale.state != FeatureState::missing) {
      fmt::format_to(std::back_inserter(text), "{} were {}\n", count, to_string(stale.state));
    }
  }
}

void append_shard_problems(std::string& text, const FeatureAudit& audit) {
  append_list(text, "shards that cannot be used", refused_lines(audit));
  append_list(text, "orphaned: entries of utterances the data set does not have", audit.orphans);
}

nlohmann::json failures_json(const PrecomputeSubject& subject,
                             const std::vector<PrecomputeFailure>& failures) {
  nlohmann::json list = nlohmann::json::array();
  for (const PrecomputeFailure& failure : failures) {
    list.push_back({{"id", name_of(subject, failure.item)}, {"reason", failure.reason}});
  }
  return list;
}

nlohmann::json counts_json(const FeatureAudit& audit) {
  nlohmann::json counts = {{"fresh", audit.count(FeatureState::fresh)}};
  for (const StateName& stale : kStale) {
    counts[std::string(stale.key)] = audit.count(stale.state);
  }
  return counts;
}

void add_stale(nlohmann::json& json, const PrecomputeSubject& subject, const FeatureAudit& audit) {
  for (const StateName& stale : kStale) {
    json[std::string(stale.key)] = ids_in(subject, audit, stale.state);
  }
}

void add_shard_problems(nlohmann::json& json, const FeatureAudit& audit) {
  json["orphaned"] = audit.orphans;
  json["refused_shards"] = nlohmann::json::array();
  for (const FeatureStore::RefusedShard& shard : audit.refused) {
    json["refused_shards"].push_back({{"path", shard.path.string()}, {"reason", shard.reason}});
  }
}

nlohmann::json subject_json(const PrecomputeSubject& subject) {
  return {{"data", subject.manifest.root.string()},
          {"folder", subject.folder.string()},
          {"utterances", subject.manifest.utterances.size()}};
}

}  // namespace

std::string render_text(const PrecomputeSubject& subject, const FeatureAudit& audit) {
  std::string text = heading(subject);
  fmt::format_to(std::back_inserter(text),
                 "{} of {} utterances are precomputed and intact\n",
                 audit.count(FeatureState::fresh),
                 subject.manifest.utterances.size());
  append_stale(text, subject, audit);
  append_shard_problems(text, audit);
  append_list(text, "cannot be used", failure_lines(subject, unusable(subject.index)));
  if (!audit.ok()) {
    text += "qanat precompute --repair makes what is wrong anew, and nothing else\n";
  }
  return text;
}

std::string render_text(const PrecomputeSubject& subject,
                        const PrecomputeReport& report,
                        PrecomputeDetail detail) {
  std::string text = heading(subject);
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "{} utterances: {} made, {} kept, {} cannot be used\n",
                 subject.manifest.utterances.size(),
                 report.num_made,
                 report.found.count(FeatureState::fresh),
                 report.failures.size());
  if (detail == PrecomputeDetail::ids) {
    append_stale(text, subject, report.found);
  } else {
    append_stale_counts(text, report.found);
  }
  fmt::format_to(out,
                 "{} shards written ({:.1f} MB, {}), {} removed\n",
                 report.num_shards,
                 megabytes(report.bytes),
                 to_string(report.dtype),
                 report.num_removed);
  append_shard_problems(text, report.found);
  append_list(text, "cannot be used", failure_lines(subject, report.failures));
  if (report.stopped) {
    text += "stopped: whole shards are kept; the same command goes on from there\n";
  }
  return text;
}

nlohmann::json render_json(const PrecomputeSubject& subject, const FeatureAudit& audit) {
  nlohmann::json json = subject_json(subject);
  json["ok"] = audit.ok();
  json["counts"] = counts_json(audit);
  add_stale(json, subject, audit);
  add_shard_problems(json, audit);
  json["unusable"] = failures_json(subject, unusable(subject.index));
  return json;
}

nlohmann::json render_json(const PrecomputeSubject& subject,
                           const PrecomputeReport& report,
                           PrecomputeDetail detail) {
  nlohmann::json json = subject_json(subject);
  json["before"] = counts_json(report.found);
  if (detail == PrecomputeDetail::ids) {
    add_stale(json, subject, report.found);
  }
  add_shard_problems(json, report.found);
  json["made"] = report.num_made;
  json["kept"] = report.found.count(FeatureState::fresh);
  json["failed"] = failures_json(subject, report.failures);
  json["dtype"] = to_string(report.dtype);
  json["shards_written"] = report.num_shards;
  json["shards_removed"] = report.num_removed;
  json["leftovers_removed"] = report.num_leftovers;
  json["bytes_written"] = report.bytes.value;
  json["stopped"] = report.stopped;
  return json;
}

}  // namespace qanat
