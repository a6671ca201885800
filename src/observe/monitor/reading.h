// A measured value, or why there is none. What could not be read is never zero.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace qanat {

// Why a limit has no value although it was read.
inline constexpr std::string_view kNoLimit = "no limit";

template <typename T>
class Reading {
 public:
  Reading() = default;
  Reading(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  // `why` is moved from, which is not seen in a template.
  static Reading none(std::string why) {  // NOLINT(performance-unnecessary-value-param)
    Reading reading;
    reading.why_not_ = std::move(why);
    return reading;
  }

  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const { return *value_; }
  const std::optional<T>& value() const { return value_; }
  const std::string& why_not() const { return why_not_; }  // for those without a value
  bool is_unlimited() const { return !value_ && why_not_ == kNoLimit; }

  bool operator==(const Reading&) const = default;

 private:
  std::optional<T> value_;
  std::string why_not_ = "not read";
};

}  // namespace qanat
