#include "dataset/data_view.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/data_view.h"

namespace qanat {
namespace {

constexpr Bytes kMaxView = mebibytes(256);
constexpr std::size_t kNamedRows = 5;
constexpr double kMaxSeconds = 1e6;
// Lengths are written with three decimals.
constexpr Seconds kLengthTolerance{0.002};

constexpr std::array kActions = {ViewAction::drop, ViewAction::trim, ViewAction::check};

// What stands up to the next tab, which goes with it.
std::string_view next_cell(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\t'), rest.size());
  const std::string_view cell = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return cell;
}

std::optional<Seconds> next_seconds(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{} || !(value >= 0) || value > kMaxSeconds) {
    return std::nullopt;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return Seconds(value);
}

std::optional<KeptPart> parse_kept(std::string_view cell) {
  const std::optional<Seconds> from = next_seconds(cell);
  const std::optional<Seconds> to = next_seconds(cell);
  const std::optional<Seconds> of = next_seconds(cell);
  if (!of || !to || !from || !cell.empty() || !(*from < *to) || !(*to <= *of)) {
    return std::nullopt;
  }
  return KeptPart{.from = *from, .to = *to, .of = *of};
}

Result<ViewLine> parse_line(std::string_view text, int number) {
  const auto refuse = [&](const Message& why) {
    return to_failure(msg::view_line{.line = plain(number, 0), .why = why});
  };
  if (first_invalid_utf8(text)) {
    return refuse(msg::view_not_utf8{});
  }
  ViewLine line{.line = number};
  const std::string_view word = next_cell(text);
  const auto* const action =
      std::ranges::find(kActions, word, [](ViewAction one) { return to_string(one); });
  if (action == kActions.end()) {
    return refuse(msg::view_action{.word = excerpt(word, 40)});
  }
  line.action = *action;
  line.id = next_cell(text);
  if (line.id.empty()) {
    return refuse(msg::view_no_id{});
  }
  line.rules = next_cell(text);
  if (line.action == ViewAction::trim) {
    const std::string_view cell = next_cell(text);
    line.kept = parse_kept(cell);
    if (!line.kept) {
      return refuse(msg::view_part{.given = excerpt(cell, 40)});
    }
  }
  line.why = text;
  return line;
}

std::string named(const std::vector<std::string>& ids) {
  std::string text;
  for (std::size_t i = 0; i < std::min(ids.size(), kNamedRows); ++i) {
    text += (i == 0 ? "" : ", ") + ids[i];
  }
  return text + (ids.size() > kNamedRows ? ", ..." : "");
}

using LinesById = std::unordered_map<std::string_view, const ViewLine*>;

LinesById acting_lines(const DataView& view) {
  LinesById lines;
  for (const ViewLine& line : view.lines) {
    if (line.action != ViewAction::check) {
      lines.emplace(line.id, &line);
    }
  }
  return lines;
}

DatasetProblem left_out(const Utterance& utterance, const ViewLine& line) {
  return {.kind = ProblemKind::left_out,
          .source = utterance.source,
          .line = utterance.line,
          .id = utterance.id,
          .audio = utterance.audio,
          .detail = msg::view_left_out{.rules = line.rules},
          .text = excerpt(utterance.text, 80)};
}

// Ids that lines name and the set does not have.
std::vector<std::string> unmatched_ids(const DataView& view, const Manifest& manifest) {
  std::unordered_set<std::string_view> ids;
  for (const Utterance& utterance : manifest.utterances) {
    ids.insert(utterance.id);
  }
  for (const DatasetProblem& problem : manifest.problems) {
    ids.insert(problem.id);
  }
  std::vector<std::string> unmatched;
  for (const ViewLine& line : view.lines) {
    if (!ids.contains(line.id)) {
      unmatched.push_back(line.id);
    }
  }
  return unmatched;
}

}  // namespace

std::string_view to_string(ViewAction action) {
  return std::array<std::string_view, 3>{"drop", "trim", "check"}.at(
      static_cast<std::size_t>(action));
}

Result<DataView> parse_view(std::string_view text) {
  DataView view;
  std::unordered_set<std::string> acted;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (number++ == 0 && line.starts_with("\xEF\xBB\xBF")) {
      line.remove_prefix(3);
    }
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    if (line.empty() || line.front() == '#') {
      continue;
    }
    Result<ViewLine> parsed = parse_line(line, number);
    if (!parsed) {
      return parsed.failure();
    }
    const bool acts = parsed.value().action != ViewAction::check;
    if (acts && !acted.insert(parsed.value().id).second) {
      return to_failure(msg::view_line{.line = plain(number, 0),
                                       .why = msg::view_twice{.row = parsed.value().id}});
    }
    view.lines.push_back(std::move(parsed).value());
  }
  return view;
}

DataView read_view(const std::filesystem::path& file) {
  const Result<std::string> text = read_text_file(file, kMaxView);
  if (!text) {
    throw MessageError(msg::view_unreadable{.why = reason_of(text.failure())});
  }
  Result<DataView> view = parse_view(text.value());
  if (!view) {
    throw MessageError(msg::view_refused{.file = file.string(), .why = reason_of(view.failure())});
  }
  return std::move(view).value();
}

std::string to_text(const DataView& view, const std::vector<std::string>& comments) {
  std::string text;
  for (const std::string& comment : comments) {
    text += comment.empty() ? "#\n" : "# " + comment + '\n';
  }
  for (const ViewLine& line : view.lines) {
    text += fmt::format("{}\t{}\t{}\t", to_string(line.action), line.id, line.rules);
    if (line.kept) {
      text += fmt::format("{:.3f} {:.3f} {:.3f}\t",
                          line.kept->from.count(),
                          line.kept->to.count(),
                          line.kept->of.count());
    }
    std::string why = line.why;
    std::ranges::replace_if(
        why, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    text += why + '\n';
  }
  return text;
}

std::vector<MessageArg> apply_view(const std::filesystem::path& file, Manifest& manifest) {
  const DataView view = read_view(file);
  const std::vector<std::string> unmatched = unmatched_ids(view, manifest);
  if (!view.lines.empty() && unmatched.size() == view.lines.size()) {
    throw MessageError(msg::view_of_another{
        .file = file.string(), .folder = manifest.root.string(), .ids = named(unmatched)});
  }
  const LinesById lines = acting_lines(view);
  std::int64_t dropped = 0;
  std::int64_t trimmed = 0;
  std::erase_if(manifest.utterances, [&](Utterance& utterance) {
    const auto found = lines.find(utterance.id);
    if (found == lines.end()) {
      return false;
    }
    utterance.kept = found->second->kept;
    const bool drops = found->second->action == ViewAction::drop;
    if (drops) {
      manifest.problems.push_back(left_out(utterance, *found->second));
    }
    (drops ? dropped : trimmed) += 1;
    return drops;
  });
  if (manifest.utterances.empty()) {
    throw MessageError(
        msg::view_nothing_left{.file = file.string(), .folder = manifest.root.string()});
  }
  std::vector<MessageArg> notes{
      msg::view_used{.file = file.string(), .dropped = dropped, .trimmed = trimmed}};
  if (!unmatched.empty()) {
    notes.emplace_back(msg::view_unmatched{
        .count = unmatched.size(), .file = file.string(), .ids = named(unmatched)});
  }
  return notes;
}

SampleCount first_sample(const Utterance& utterance, SampleRate rate) {
  if (!utterance.kept) {
    return SampleCount{0};
  }
  return SampleCount{std::llround(utterance.kept->from.count() * static_cast<double>(rate.value))};
}

std::span<const float> kept_of(std::span<const float> samples,
                               const Utterance& utterance,
                               SampleRate rate) {
  if (!utterance.kept) {
    return samples;
  }
  const auto first =
      std::min(static_cast<std::size_t>(first_sample(utterance, rate).value), samples.size());
  const auto end = static_cast<std::size_t>(
      std::llround(utterance.kept->to.count() * static_cast<double>(rate.value)));
  return samples.subspan(first, std::min(end, samples.size()) - std::min(first, end));
}

void trim_lengths(const Manifest& manifest, SampleRate rate, DatasetIndex& index) {
  bool has_failed = false;
  for (std::uint32_t i = 0; i < index.entries.size(); ++i) {
    const std::optional<KeptPart>& kept = manifest.utterances[i].kept;
    IndexEntry& entry = index.entries[i];
    if (!kept || !entry.usable) {
      continue;
    }
    const Seconds length(static_cast<double>(entry.samples.value) /
                         static_cast<double>(rate.value));
    if (std::abs((length - kept->of).count()) > kLengthTolerance.count()) {
      entry = {};
      index.failures.push_back(
          {.item = i,
           .kind = ProblemKind::changed_since_view,
           .reason = msg::view_other_length{.length = plain(length.count(), 3),
                                            .of = plain(kept->of.count(), 3)}});
      has_failed = true;
      continue;
    }
    const std::int64_t first = first_sample(manifest.utterances[i], rate).value;
    const std::int64_t end =
        std::min(std::llround(kept->to.count() * static_cast<double>(rate.value)),
                 entry.samples.value + 0LL);
    entry.samples = SampleCount{std::max<std::int64_t>(end - first, 0)};
  }
  if (has_failed) {
    std::ranges::sort(index.failures, {}, &IndexFailure::item);
  }
}

}  // namespace qanat
