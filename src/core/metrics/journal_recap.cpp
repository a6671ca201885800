#include "metrics/journal_recap.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qanat {
namespace {

constexpr std::string_view kValidations = "validation";
constexpr std::string_view kBestValidations = "validation, best";

// A sample that says that a card is in trouble: rare, and not to be thinned out with the others.
bool is_trouble(const nlohmann::json& samples) {
  return std::ranges::any_of(samples, [](const nlohmann::json& sample) {
    return sample.is_object() && (sample.contains("xid") || sample.contains("lost"));
  });
}

// Lines that are thinned out together.
std::string_view series_of(const JournalEvent& event) {
  return std::visit(
      OnEvent{
          [](const HostSample& sample) -> std::string_view {
            return sample.setup ? "host, setup" : HostSample::kKind;
          },
          [](const GpuSamples& seen) -> std::string_view {
            return seen.samples && !is_trouble(*seen.samples) ? GpuSamples::kKind : "devices, told";
          },
          [](const ValidationDone& done) { return done.best ? kBestValidations : kValidations; },
          [](const UnknownEvent&) -> std::string_view { return "unknown"; },
          [](const auto& one) { return std::string_view(one.kKind); }},
      event);
}

bool is_of_all_sessions(std::string_view series) {
  return series == kValidations || series == kBestValidations ||
         series == EvaluationRendered::kKind;
}

std::size_t most_lines(std::string_view series) {
  return series == kValidations || series == kBestValidations ? JournalRecap::kMaxValidations
                                                              : JournalRecap::kMaxLines;
}

// To a microsecond, and six digits: more is noise in everything that a run measures.
double shortened(double value) {
  constexpr double kExact = 9e9;  // a double has no more digits behind the point
  if (!std::isfinite(value) || value == 0 || std::abs(value) >= kExact) {
    return value;
  }
  constexpr int kDigits = 6;
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  const double scale = std::pow(10.0, kDigits - std::min(before_point, 0));
  return std::isfinite(value * scale) ? std::round(value * scale) / scale : value;
}

void shorten(nlohmann::json& value) {
  if (value.is_structured()) {
    for (nlohmann::json& inside : value) {
      shorten(inside);
    }
  } else if (value.is_number_float()) {
    constexpr double kWhole = 9e15;
    const double number = shortened(value.get<double>());
    if (std::abs(number) < kWhole && number == std::trunc(number)) {
      value = static_cast<std::int64_t>(number);
    } else {
      value = number;
    }
  }
}

}  // namespace

// "kind" first, then "t", then the fields: lines are read by people too. Bytes that are not UTF-8
// (file names may hold any) are replaced. What a user configured stays as it is.
std::string to_journal_line(Seconds time, const JournalEvent& event) {
  nlohmann::ordered_json line;
  line["kind"] = kind_of(event);
  line["t"] = std::round(time.count() * 1e6) / 1e6;
  nlohmann::json fields = to_fields(event);
  if (!std::holds_alternative<SessionStart>(event)) {
    shorten(fields);
  }
  for (const auto& [name, value] : fields.items()) {
    line[name] = value;
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

JournalRecap::Steps& JournalRecap::Steps::operator+=(const Steps& later) {
  number = later.number;
  time = later.time;
  steps += later.steps;
  return *this;
}

void JournalRecap::begin_session() {
  std::erase_if(lines_, [](const auto& series) { return !is_of_all_sessions(series.first); });
}

// A session may go back to an earlier step.
void JournalRecap::add_steps(Seconds time, const PastSteps& steps) {
  const auto first = static_cast<double>(steps.first);
  if (!steps_.empty() && first <= steps_.bins().back().last) {
    steps_.forget_from(first);
  }
  steps_.add({.first = first,
              .last = static_cast<double>(steps.last),
              .count = steps.count,
              .content = {.number = number_, .time = time, .steps = steps}});
}

void JournalRecap::add(Seconds time, const JournalEvent& event, std::string_view line) {
  ++number_;
  if (const auto* const step = std::get_if<StepRecord>(&event)) {
    add_steps(time, PastSteps::of(*step));
    return;
  }
  if (const auto* const past = std::get_if<PastSteps>(&event)) {
    add_steps(time, *past);
    return;
  }
  const auto* const header = std::get_if<SessionStart>(&event);
  if (std::holds_alternative<SlotRecord>(event) || (header != nullptr && header->continues)) {
    return;
  }
  if (header != nullptr) {
    begin_session();
  }
  const std::string_view series = series_of(event);
  auto found = lines_.find(series);
  if (found == lines_.end()) {
    found = lines_.emplace(series, ThinnedList<Kept>(most_lines(series))).first;
  }
  found->second.add({.number = number_, .line = std::string(line)});
}

void JournalRecap::add(const JournalEntry& entry) {
  const Seconds time = entry.at.value_or(Seconds{0});
  const bool has_line = !is_one_of<StepRecord, PastSteps, SlotRecord>(entry.event);
  add(time, entry.event, has_line ? to_journal_line(time, entry.event) : "");
}

std::vector<std::string> JournalRecap::lines() const {
  std::vector<Kept> kept;
  for (const auto& [series, list] : lines_) {
    list.visit([&kept](const Kept& one) { kept.push_back(one); });
  }
  for (const Bin<Steps>& bin : steps_.bins()) {
    const Steps& steps = bin.content;
    kept.push_back({.number = steps.number, .line = to_journal_line(steps.time, steps.steps)});
  }
  std::ranges::sort(kept, {}, &Kept::number);
  std::vector<std::string> lines;
  lines.reserve(kept.size());
  for (Kept& one : kept) {
    lines.push_back(std::move(one.line));
  }
  return lines;
}

}  // namespace qanat
