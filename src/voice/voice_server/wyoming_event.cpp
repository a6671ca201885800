#include "voice_server/wyoming_event.h"

#include <cstdint>
#include <utility>

#include "voice_server/shallow_json.h"

namespace qanat {
namespace {

using Json = nlohmann::json;

constexpr const char* kVersion = "1.8.0";  // of the protocol that is spoken

std::string string_at(const Json& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Absent and null are 0; nothing for what is no length, or above `most`.
std::optional<std::size_t> length_at(const Json& line, const char* key, std::size_t most) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) {
    return 0;
  }
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > most) {
    return std::nullopt;
  }
  return found->get<std::size_t>();
}

WyomingParse refused() {
  return {.state = WyomingParse::State::refused};
}

}  // namespace

std::string WyomingEvent::text(std::string_view key) const {
  return string_at(data, key);
}

std::string WyomingEvent::text(std::string_view object, std::string_view key) const {
  const auto found = data.is_object() ? data.find(object) : data.end();
  return found == data.end() ? std::string() : string_at(*found, key);
}

WyomingParse parse_wyoming_event(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, kMaxWyomingLine).find('\n');
  if (end == std::string_view::npos) {
    return bytes.size() >= kMaxWyomingLine ? refused() : WyomingParse{};
  }
  Json line = parse_shallow_json(bytes.substr(0, end));
  if (!line.is_object()) {
    return refused();
  }
  WyomingParse parse{.state = WyomingParse::State::complete};
  parse.event.type = string_at(line, "type");
  const std::optional<std::size_t> data = length_at(line, "data_length", kMaxWyomingData);
  const std::optional<std::size_t> payload = length_at(line, "payload_length", kMaxWyomingPayload);
  if (parse.event.type.empty() || !data || !payload) {
    return refused();
  }
  const std::string_view rest = bytes.substr(end + 1);
  if (rest.size() < *data + *payload) {
    return {};
  }
  if (const auto own = line.find("data"); own != line.end() && own->is_object()) {
    parse.event.data = std::move(*own);
  }
  if (*data > 0) {
    const Json more = parse_shallow_json(rest.substr(0, *data));
    if (!more.is_object()) {
      return refused();
    }
    parse.event.data.update(more);
  }
  parse.event.payload = rest.substr(*data, *payload);
  parse.bytes = end + 1 + *data + *payload;
  return parse;
}

std::string to_bytes(const WyomingEvent& event) {
  const auto dumped = [](const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const std::string data = event.data.empty() ? std::string() : dumped(event.data);
  Json line = {{"type", event.type}, {"version", kVersion}};
  if (!data.empty()) {
    line["data_length"] = data.size();
  }
  if (!event.payload.empty()) {
    line["payload_length"] = event.payload.size();
  }
  return dumped(line) + '\n' + data + event.payload;
}

}  // namespace qanat
