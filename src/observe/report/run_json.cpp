#include "report/run_json.h"

#include <algorithm>

#include "locale/translator.h"
#include "report/config_changes.h"
#include "report/run_words.h"

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

std::string english(const Message& message) {
  return Translator(Language::en).tr(message);
}

Json to_json(const Range& range) {
  return Json::array({range.low, range.high});
}

Json quantile_or_null(const RunMeasures& m, double share) {
  return m.seconds.size() < values_needed_for(std::max(share, 1 - share))
             ? Json(nullptr)
             : Json(quantile(m.seconds, share));
}

Json step_statistics(const RunMeasures& m) {
  if (m.seconds.empty()) {
    return {{"n", 0}};
  }
  return {{"n", m.seconds.size()},
          {"n_eff", m.effective_steps},
          {"warm_up", m.warm_up.steps},
          {"settled", m.warm_up.settled},
          {"mean", m.mean_step},
          {"ci95_mean", to_json(m.mean_interval)},
          {"std", standard_deviation(m.seconds)},
          {"min", std::ranges::min(m.seconds)},
          {"max", std::ranges::max(m.seconds)},
          {"p50", quantile(m.seconds, 0.5)},
          {"p95", quantile_or_null(m, 0.95)},
          {"p99", quantile_or_null(m, 0.99)},
          {"cv", standard_deviation(m.seconds) / m.mean_step},
          {"robust_cv", m.spread.robust_cv},
          {"tail_p95_p50", m.spread.tail},
          {"excess_share", m.spread.excess_share},
          {"outliers", m.spread.num_outliers}};
}

Json breakdown(const RunMeasures& m) {
  Json parts{{"unit", "s_per_step"}};
  visit_phases(m.breakdown, [&](std::string_view name, Seconds part) {
    parts[std::string(name)] = part.count();
  });
  return parts;
}

Json to_json(const Fix& fix) {
  Json result{{"key", fix.is_setting() ? fix.key : "system"},
              {"value", fix.is_setting() ? Json(fix.value) : Json(nullptr)},
              {"flag", fix_words(fix, Translator())},
              {"predicted_step_s", nullptr}};
  if (fix.predicted_step) {
    result["predicted_step_s"] = *fix.predicted_step;
  }
  return result;
}

Json to_json(const Finding& finding, std::size_t rank) {
  Json evidence = Json::array();
  for (const Evidence& item : finding.evidence) {
    evidence.push_back(
        {{"metric", item.metric.name}, {"value", item.value}, {"unit", item.metric.unit_name()}});
  }
  Json fixes = Json::array();
  for (const Fix& fix : finding.fixes) {
    fixes.push_back(to_json(fix));
  }
  return {
      {"id", finding.id},
      {"rank", rank},
      {"title", english(finding.title)},
      {"severity", to_string(finding.severity)},
      {"evidence", std::move(evidence)},
      {"gain",
       {{"step_s_now", finding.gain.step_now},
        {"step_s_if_fixed", finding.gain.step_if_fixed},
        {"speedup", finding.gain.speedup},
        {"ci95", to_json(finding.gain.ci95)},
        {"method", to_string(finding.gain.method)}}},
      {"fixes", std::move(fixes)},
      {"marginal_speedup", or_null(finding.marginal_speedup)},
      {"explained_by", finding.explained_by.empty() ? Json(nullptr) : Json(finding.explained_by)},
      {"verify", english(finding.verify)},
      {"may_be_wrong", english(finding.may_be_wrong)}};
}

Json findings(const Diagnosis& diagnosis) {
  Json list = Json::array();
  for (std::size_t i = 0; i < diagnosis.findings.size(); ++i) {
    list.push_back(to_json(diagnosis.findings[i], i + 1));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(const Periodicity& tested,
                               const std::optional<nlohmann::ordered_json>& matches) {
  const std::optional<PeriodicPattern>& found = tested.pattern;
  Json result{{"tested_max_period", tested.longest_tested},
              {"p_value", tested.p_value},
              {"period", found ? Json(found->period) : Json()},
              {"phase", found ? Json(found->phase) : Json()},
              {"excess_s", found ? Json(found->excess_seconds) : Json()}};
  if (matches) {
    result["matches"] = *matches;
  }
  result["autocorrelation"] = tested.autocorrelation;
  return result;
}

nlohmann::ordered_json to_json(const Diagnosis& diagnosis) {
  const RunMeasures& m = diagnosis.measures;
  Json passed = Json::array();
  for (const PassedCheck& check : diagnosis.passed) {
    passed.push_back({{"id", check.id}, {"what", english(check.what)}});
  }
  Json skipped = Json::array();
  for (const SkippedCheck& check : diagnosis.skipped) {
    skipped.push_back({{"id", check.id}, {"reason", english(check.reason)}});
  }
  Json report{
      {"schema", "qanat.report"},
      {"schema_version", "1.0"},
      {"verdict",
       {{"kind", to_string(diagnosis.verdict)},
        {"why", english(diagnosis.why)},
        {"recoverable_share", diagnosis.recoverable_share}}},
      {"name", or_null(m.name)},
      {"task", or_null(m.task)},
      {"ending", or_null(m.ending)},
      {"findings", findings(diagnosis)},
      {"ledger", breakdown(m)},
      {"step_s", step_statistics(m)},
      {"work_model",
       {{"fixed_s", m.work.fixed}, {"s_per_frame", m.work.per_frame}, {"r2", m.work.r2}}},
      {"throughput", {{"frames_per_s", m.frames_per_second}, {"padding_share", m.padding_share}}},
      {"periodicity", to_json(m.periodicity)},
      {"passed", std::move(passed)},
      {"skipped", std::move(skipped)}};
  report.update(render_json(Section{.facts = timing_facts(m)}));
  if (const std::optional<Section> ranks = ranks_section(m)) {
    report.update(render_json(*ranks));
  }
  return report;
}

nlohmann::ordered_json to_json(const RunComparison& comparison) {
  const SpreadChange& spread = comparison.spread;
  const bool is_known = !comparison.withheld;
  return {{"ratio", is_known ? Json(comparison.ratio) : Json()},
          {"ci95", is_known ? to_json(comparison.ci95) : Json()},
          {"change", to_string(comparison.change)},
          {"withheld", is_known ? Json() : Json(Translator().tr(*comparison.withheld))},
          {"spread",
           {{"ratio", spread.ratio},
            {"ci95", to_json(spread.ci95)},
            {"p_value", spread.p_value},
            {"change", to_string(spread.change)}}}};
}

nlohmann::ordered_json to_json(const std::vector<Difference>& differences) {
  nlohmann::ordered_json listed = nlohmann::ordered_json::array();
  for (const Difference& one : differences) {
    listed.push_back({{"key", one.key}, {"now", one.now}, {"before", one.before}});
  }
  return listed;
}

nlohmann::ordered_json to_json(const RunSnapshot& now, const Diagnosis& diagnosis) {
  nlohmann::ordered_json json{{"schema", "qanat.top"},
                              {"schema_version", "1.0"},
                              {"mode", now.mode},
                              {"model_device", now.model_device},
                              {"started", now.started},
                              {"age_s", now.at.count()},
                              {"ending", or_null(now.ending)},
                              {"step", nullptr},
                              {"last_step", or_null(now.last_step)},
                              {"epoch", nullptr},
                              {"loss", nullptr},
                              {"steps_per_s", or_null(now.steps_per_second())},
                              {"wait_share", or_null(now.wait_share())},
                              {"verdict", to_string(diagnosis.verdict)},
                              {"why", Translator().tr(diagnosis.why)}};
  if (now.newest) {
    json["step"] = now.newest->step + 1;
    json["epoch"] = now.newest->epoch;
    json["loss"] = now.newest->losses.total;
  }
  return json;
}

}  // namespace qanat
