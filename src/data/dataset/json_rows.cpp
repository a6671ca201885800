#include "dataset/json_rows.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "locale/message_error.h"
#include "locale/messages/data_set_layouts.h"

namespace qanat {
namespace {

using Json = nlohmann::json;

constexpr double kSameLength = 0.01;  // s; lengths are written with two digits and more

JsonRefusal refused(Message why, std::string id = {}) {
  return {.id = std::move(id), .detail = std::move(why)};
}

// Text as it is, numbers as they are written: speakers are often numbers.
std::string text_of(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) {
    return {};
  }
  if (found->is_string()) {
    return found->get<std::string>();
  }
  return found->is_number() ? found->dump() : std::string();
}

double number_of(const Json& object, std::string_view key, double otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

// Null: it is no object.
const Json* object_in(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? &*found : nullptr;
}

std::optional<Json> parse_object(std::string_view line) {
  Json parsed = Json::parse(line, nullptr, false);
  return parsed.is_object() ? std::optional(std::move(parsed)) : std::nullopt;
}

// The file of a Lhotse recording; empty: it is made by a command, or is no one file.
std::string source_of(const Json& recording) {
  const auto sources = recording.find("sources");
  if (sources == recording.end() || !sources->is_array() || sources->size() != 1 ||
      !sources->front().is_object()) {
    return {};
  }
  const Json& source = sources->front();
  return text_of(source, "type") == "file" ? text_of(source, "source") : std::string();
}

JsonRow supervised(const Json& supervision) {
  return {.id = text_of(supervision, "id"),
          .audio = {},
          .text = text_of(supervision, "text"),
          .speaker = text_of(supervision, "speaker"),
          .language = text_of(supervision, "language")};
}

ParsedJson parse_cut(const Json& cut) {
  const std::string id = text_of(cut, "id");
  const Json* const recording = object_in(cut, "recording");
  const Json& supervisions = cut["supervisions"];
  if (recording == nullptr || !supervisions.is_array() || supervisions.size() != 1 ||
      !supervisions.front().is_object()) {
    return refused(msg::cut_not_simple{}, id);
  }
  const double whole = number_of(*recording, "duration", -1);
  if (!is_whole(number_of(cut, "start", 0), number_of(cut, "duration", whole), whole)) {
    return refused(part_of_recording(), id);
  }
  JsonRow row = supervised(supervisions.front());
  row.id = id;
  row.audio = source_of(*recording);
  if (row.audio.empty()) {
    return refused(msg::recording_no_file{}, id);
  }
  return row;
}

}  // namespace

bool is_whole(double start, double duration, double whole) {
  return std::abs(start) <= kSameLength && std::abs(duration - whole) <= kSameLength;
}

Message part_of_recording() {
  return msg::part_of_recording{};
}

ParsedJson parse_json_row(std::string_view line, const ColumnChoice& choice) {
  const std::optional<Json> object = parse_object(line);
  if (!object) {
    return refused(msg::line_no_object{});
  }
  if (object->contains("supervisions")) {
    return parse_cut(*object);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : object->items()) {
    names.push_back(name);
  }
  const Result<TableColumns> columns = find_columns(names, choice);
  if (!columns) {
    return refused(columns.failure().message);
  }
  const auto cell = [&](ColumnRole role) {
    const std::optional<std::size_t> at = columns.value().of(role);
    return at ? text_of(*object, names[*at]) : std::string();
  };
  JsonRow row{.id = {},
              .audio = cell(ColumnRole::audio),
              .text = cell(ColumnRole::normalised),
              .speaker = cell(ColumnRole::speaker),
              .language = cell(ColumnRole::language)};
  if (row.text.empty()) {
    row.text = cell(ColumnRole::text);
  }
  for (const ColumnRole role : {ColumnRole::audio, ColumnRole::text}) {
    if (!columns.value().of(role)) {
      return refused(msg::no_column_for{.role = to_string(role),
                                        .columns = fmt::format("{}", fmt::join(names, ", "))},
                     row.audio);
    }
  }
  if (number_of(*object, "offset", 0) > kSameLength) {
    return refused(part_of_recording(), row.audio);
  }
  return row;
}

std::optional<JsonRow> parse_json_fields(std::string_view bytes, const ColumnChoice& choice) {
  const std::optional<Json> object = parse_object(bytes);
  if (!object) {
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : object->items()) {
    names.push_back(name);
  }
  // What is chosen may be a member beside this one.
  Result<TableColumns> columns = find_columns(names, choice);
  if (!columns) {
    columns = find_columns(names, {});
  }
  const auto cell = [&](ColumnRole role) {
    const std::optional<std::size_t> at = columns.value().of(role);
    return at ? text_of(*object, names[*at]) : std::string();
  };
  JsonRow row{.text = cell(ColumnRole::normalised),
              .speaker = cell(ColumnRole::speaker),
              .language = cell(ColumnRole::language)};
  if (row.text.empty()) {
    row.text = cell(ColumnRole::text);
  }
  return row;
}

std::variant<JsonRecording, JsonRefusal> parse_json_recording(std::string_view line) {
  const std::optional<Json> object = parse_object(line);
  if (!object) {
    return refused(msg::line_no_object{});
  }
  JsonRecording recording{.id = text_of(*object, "id"),
                          .audio = source_of(*object),
                          .duration = number_of(*object, "duration", -1)};
  if (recording.id.empty() || recording.audio.empty()) {
    return refused(msg::recording_no_file{}, recording.id);
  }
  return recording;
}

std::variant<JsonSupervision, JsonRefusal> parse_json_supervision(std::string_view line) {
  const std::optional<Json> object = parse_object(line);
  if (!object) {
    return refused(msg::line_no_object{});
  }
  return JsonSupervision{.recording = text_of(*object, "recording_id"),
                         .row = supervised(*object),
                         .start = number_of(*object, "start", 0),
                         .duration = number_of(*object, "duration", -1)};
}

}  // namespace qanat
