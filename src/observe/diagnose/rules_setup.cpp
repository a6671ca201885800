// Rules about what is known before a run: its configuration and its data set.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "diagnose/rule_parts.h"
#include "locale/messages/findings_configuration.h"
#include "locale/messages/verdicts.h"

namespace qanat {
namespace {

constexpr double kManyDropped = 0.05;  // of the rows: worth a warning

RuleOutcome inert_keys(const RuleInput& input) {
  const MessageArg::List& keys = input.summary.setup->inert_keys;
  if (keys.empty()) {
    return passed(msg::cfg007_ok{});
  }
  return Finding{.title = msg::cfg007_title{.count = keys.size(), .keys = keys},
                 .evidence = {{metric::keys, static_cast<double>(keys.size())}},
                 .fixes = {do_this(msg::cfg007_remove{})},
                 .verify = by_command("qanat config show")};
}

RuleOutcome workers_beyond_cores(const RuleInput& input) {
  const SetupFacts& setup = *input.summary.setup;
  if (!setup.workers || *setup.workers <= setup.cores) {
    return passed(msg::cfg008_ok{});
  }
  const Quantity cores{.value = static_cast<double>(setup.cores), .unit = Unit::cores};
  return Finding{.title = msg::cfg008_title{.workers = *setup.workers, .cores = cores},
                 .severity = FindingSeverity::warn,
                 .evidence = {{metric::workers, static_cast<double>(*setup.workers)},
                              {metric::cores, cores.value}},
                 .fixes = {set_key("data.num_workers", std::max(1, setup.cores - 1))},
                 .may_be_wrong = msg::cfg008_wrong_if{}};
}

RuleOutcome missing_devices(const RuleInput& input) {
  const SetupFacts& setup = *input.summary.setup;
  if (!setup.device_problem) {
    return passed(msg::cfg009_ok{});
  }
  return Finding{.title = msg::verbatim_text{.text = *setup.device_problem},
                 .severity = FindingSeverity::crit,
                 .evidence = {{metric::virtual_gpus, static_cast<double>(setup.virtual_gpus)}},
                 .fixes = {set_key("pipeline.allow_fallback", "true")},
                 .verify = by_command("qanat devices")};
}

RuleOutcome budgets_beyond_memory(const RuleInput& input) {
  const SetupFacts& setup = *input.summary.setup;
  if (!setup.memory_wanted || !setup.memory_free || *setup.memory_wanted <= *setup.memory_free) {
    return passed(msg::cfg010_ok{});
  }
  const double quarter = *setup.memory_free / 4 / (1024 * 1024);  // MB
  // A smaller cache helps where there is a larger one.
  const bool is_large =
      configured(input.summary, "pipeline.feature_cache").value_or(quarter + 1) > quarter;
  std::vector<Fix> fixes;
  if (is_large) {
    fixes.push_back(set_key("pipeline.feature_cache", static_cast<int>(quarter)));
  }
  return Finding{.title = msg::cfg010_title{.wanted = in_bytes(*setup.memory_wanted),
                                            .free = in_bytes(*setup.memory_free)},
                 .severity = FindingSeverity::warn,
                 .evidence = {{metric::wanted_bytes, *setup.memory_wanted},
                              {metric::free_bytes, *setup.memory_free}},
                 .fixes = std::move(fixes),
                 .verify = msg::cfg010_verify{},
                 .may_be_wrong = msg::cfg010_wrong_if{}};
}

RuleOutcome dropped_rows(const RuleInput& input) {
  const DataSetFacts& set = *input.summary.setup->data_set;
  if (set.dropped == 0) {
    return passed(msg::data001_ok{});
  }
  const double share =
      static_cast<double>(set.dropped) / static_cast<double>(std::max<std::int64_t>(set.rows, 1));
  return Finding{.title = msg::data001_title{.dropped = set.dropped, .rows = set.rows},
                 .severity = share >= kManyDropped ? FindingSeverity::warn : FindingSeverity::info,
                 .evidence = {{metric::dropped_share, share}},
                 .fixes = {do_this(msg::data001_list{.folder = set.folder})},
                 .verify = by_command("qanat data check " + set.folder)};
}

RuleOutcome batch_beyond_set(const RuleInput& input) {
  const DataSetFacts& set = *input.summary.setup->data_set;
  if (set.usable == 0 || set.usable >= set.batch_size) {
    return passed(msg::data002_ok{});
  }
  return Finding{
      .title = msg::data002_title{.batch_size = set.batch_size, .utterances = set.usable},
      .severity = FindingSeverity::warn,
      .evidence = {{metric::utterances, static_cast<double>(set.usable)}},
      .fixes = {set_key("data.batch_size", static_cast<int>(set.usable))}};
}

// Skips a rule about the data set where there is none that can be read.
template <RuleOutcome (*judge)(const RuleInput&)>
RuleOutcome with_data_set(const RuleInput& input) {
  return input.summary.setup->data_set ? judge(input) : skipped(msg::skip_no_data_set{});
}

constexpr Rule setup_rule(std::string_view id,
                          RuleText text,
                          RuleOutcome (*judge)(const RuleInput&)) {
  return {.id = id,
          .category = RuleCategory::setup,
          .text = text,
          .judge = judge,
          .needs = Need::setup,
          .verdict = VerdictKind::balanced};
}

}  // namespace

std::span<const Rule> setup_rules() {
  static constexpr std::array kRules = {
      setup_rule("CFG007",
                 text_of<msg::cfg007_looks_for, msg::cfg007_means, msg::cfg007_remedy>(),
                 inert_keys),
      setup_rule("CFG008",
                 text_of<msg::cfg008_looks_for, msg::cfg008_means, msg::cfg008_remedy>(),
                 workers_beyond_cores),
      setup_rule("CFG009",
                 text_of<msg::cfg009_looks_for, msg::cfg009_means, msg::cfg009_remedy>(),
                 missing_devices),
      setup_rule("CFG010",
                 text_of<msg::cfg010_looks_for, msg::cfg010_means, msg::cfg010_remedy>(),
                 budgets_beyond_memory),
      setup_rule("DATA001",
                 text_of<msg::data001_looks_for, msg::data001_means, msg::data001_remedy>(),
                 with_data_set<dropped_rows>),
      setup_rule("DATA002",
                 text_of<msg::data002_looks_for, msg::data002_means, msg::data002_remedy>(),
                 with_data_set<batch_beyond_set>),
  };
  return kRules;
}

}  // namespace qanat
