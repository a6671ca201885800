// JSON of strangers: without exceptions, and without the depth that would overflow the stack of
// whoever copies or prints it.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace qanat {

// What is nested deeper than `depth` is left out. Discarded (is_discarded()) when it is not JSON.
inline nlohmann::json parse_shallow_json(std::string_view text, int depth = 8) {
  return nlohmann::json::parse(
      text.begin(),
      text.end(),
      [depth](int at, nlohmann::json::parse_event_t /*event*/, nlohmann::json& /*value*/) {
        return at <= depth;
      },
      /*allow_exceptions=*/false);
}

}  // namespace qanat
