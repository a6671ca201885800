// Readings as JSON: {"cpu_quota": 2.5, "unknown": {"swap": "why"}}. For the journal.
#pragma once

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "monitor/reading.h"

namespace qanat {

template <typename T>
void write_reading(nlohmann::json& object, const char* name, const Reading<T>& reading) {
  if (reading) {
    object[name] = *reading;
  } else {
    object["unknown"][name] = reading.why_not();
  }
}

inline bool holds(const nlohmann::json& value, const Reading<double>& /*kind*/) {
  return value.is_number() && std::isfinite(value.get<double>());
}
inline bool holds(const nlohmann::json& value, const Reading<std::string>& /*kind*/) {
  return value.is_string();
}

// Why a field was not known to whoever wrote `object`.
inline std::string read_reason(const nlohmann::json& object, const char* name) {
  const auto unknown = object.find("unknown");
  if (unknown != object.end() && unknown->is_object()) {
    const auto reason = unknown->find(name);
    if (reason != unknown->end() && reason->is_string()) {
      return reason->get<std::string>();
    }
  }
  return "the journal does not say";
}

// A field of another kind is as unknown as one that is not there.
template <typename T>
void read_reading(const nlohmann::json& object, const char* name, Reading<T>& reading) {
  const auto value = object.find(name);
  if (value != object.end() && holds(*value, reading)) {
    reading = value->template get<T>();
    return;
  }
  reading = Reading<T>::none(read_reason(object, name));
}

}  // namespace qanat
