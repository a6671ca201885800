#include "report/dataset_json.h"

#include <nlohmann/json.hpp>

namespace qanat {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

Json to_json(const SetTotal& total) {
  return {{"utterances", total.utterances}, {"seconds", total.duration.count()}};
}

Json to_json(const std::optional<SetTotal>& total) {
  return total ? to_json(*total) : Json(nullptr);
}

Json to_json(const std::vector<NamedTotal>& totals) {
  Json list = Json::array();
  for (const NamedTotal& one : totals) {
    list.push_back({{"name", one.name.empty() ? Json(nullptr) : Json(one.name)},
                    {"utterances", one.total.utterances},
                    {"seconds", one.total.duration.count()}});
  }
  return list;
}

Json to_json(const std::optional<LengthSummary>& lengths) {
  if (!lengths) {
    return nullptr;
  }
  return {{"min", lengths->shortest.count()},
          {"p50", lengths->median.count()},
          {"mean", lengths->mean.count()},
          {"p95", lengths->p95.count()},
          {"max", lengths->longest.count()}};
}

Json histogram_json(const DatasetReport& report) {
  Json bins = Json::array();
  for (const HistogramBin& bin : report.histogram) {
    bins.push_back(
        {{"from_s", bin.from.count()}, {"to_s", bin.to.count()}, {"utterances", bin.count}});
  }
  return bins;
}

Json limits_json(const LengthLimits& limits) {
  return {{"max_tokens", limits.max_tokens.value},
          {"max_frames", limits.max_frames.value},
          {"min_samples", limits.min_samples.value},
          {"sample_rate", limits.rate.value},
          {"hop", limits.hop}};
}

Json counts_json(const DatasetReport& report) {
  Json counts = Json::object();
  for (std::size_t i = 0; i < kNumProblemKinds; ++i) {
    if (report.counts[i] > 0) {
      counts[std::string(to_string(static_cast<ProblemKind>(i)))] = report.counts[i];
    }
  }
  return counts;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json problems_json(const DatasetReport& report) {
  Json problems = Json::array();
  for (const DatasetProblem& problem : report.problems) {
    problems.push_back({{"severity", to_string(severity_of(problem.kind))},
                        {"kind", to_string(problem.kind)},
                        {"manifest", report.sources.at(problem.source)},
                        {"line", problem.line == 0 ? Json(nullptr) : Json(problem.line)},
                        {"id", text_or_null(problem.id)},
                        {"audio", text_or_null(problem.audio)},
                        {"detail", problem.detail},
                        {"text", text_or_null(problem.text)}});
  }
  return problems;
}

Json characters_json(const DatasetReport& report) {
  Json characters = Json::array();
  for (const UnknownCharacter& one : report.unknown_characters) {
    characters.push_back(
        {{"character", one.name},
         {"occurrences", one.occurrences},
         {"utterances", one.utterances},
         {"first",
          {{"manifest", report.sources.at(one.source)}, {"line", one.line}, {"id", one.id}}}});
  }
  return characters;
}

}  // namespace

std::string render_json(const DatasetReport& report) {
  const Json json = {
      {"version", kVersion},
      {"root", report.root.string()},
      {"manifests", report.sources},
      {"depth", report.depth == CheckDepth::samples ? "samples" : "headers"},
      {"rows", report.rows},
      {"usable", to_json(report.usable)},
      {"dropped", report.dropped()},
      {"train", to_json(report.train)},
      {"validation", to_json(report.validation)},
      {"unusable", report.unusable ? Json(*report.unusable) : Json(nullptr)},
      {"speakers", to_json(report.speakers)},
      {"languages", to_json(report.languages)},
      {"audio", to_json(report.formats)},
      {"length_s", to_json(report.lengths)},
      {"histogram", histogram_json(report)},
      {"characters_per_second",
       report.characters_per_second ? Json(*report.characters_per_second) : Json(nullptr)},
      {"unknown_characters", characters_json(report)},
      {"limits", limits_json(report.limits)},
      {"counts", counts_json(report)},
      {"problems", problems_json(report)},
      {"notes", report.notes}};
  // Paths may hold any bytes; what is not UTF-8 becomes U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace qanat
