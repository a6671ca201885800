// Events of Wyoming, the protocol of Home Assistant's voices: a line of JSON, then JSON, then
// bytes, of the lengths that the line says. Pure; for untrusted bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace qanat {

struct WyomingEvent {
  std::string type;
  nlohmann::json data = nlohmann::json::object();
  std::string payload{};

  // A string of the data, possibly inside of another object; empty when there is none.
  std::string text(std::string_view key) const;
  std::string text(std::string_view object, std::string_view key) const;
};

struct WyomingParse {
  enum class State { incomplete, complete, refused };
  State state = State::incomplete;
  std::size_t bytes = 0;  // of the complete event
  WyomingEvent event{};
};

inline constexpr std::size_t kMaxWyomingLine = 16 << 10;
inline constexpr std::size_t kMaxWyomingData = 128 << 10;
inline constexpr std::size_t kMaxWyomingPayload = 128 << 10;
inline constexpr std::size_t kMaxWyomingEvent =
    kMaxWyomingLine + kMaxWyomingData + kMaxWyomingPayload;

// `bytes` is all that has come and was not taken.
WyomingParse parse_wyoming_event(std::string_view bytes);

std::string to_bytes(const WyomingEvent& event);

}  // namespace qanat
