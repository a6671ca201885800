// From a value to JSON and back, by its one list of fields:
//
//   static void visit_fields(auto& self, auto&& field) {
//     field("rows", self.rows)("busy", self.busy);
//   }
//
// What is absent in the value is absent in the JSON, and the reverse. A value that follows from
// others, field("wall", self.total()), is written and not read. A fixed tuple of values,
// field("shape", std::tie(self.rows, self.frames)), is an array.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/quantity.h"
#include "metrics/log_histogram.h"

namespace qanat {

template <typename T>
concept HasFields = requires(T& value, int visitor) {
  T::visit_fields(value, visitor);
};

class FieldWriter {
 public:
  explicit FieldWriter(nlohmann::json& to) : to_(to) {}

  template <typename T>
  const FieldWriter& operator()(std::string_view name, const T& value) const {
    to_[std::string(name)] = to_json(value);
    return *this;
  }
  template <typename T>
  const FieldWriter& operator()(std::string_view name, const std::optional<T>& value) const {
    return value ? (*this)(name, *value) : *this;
  }
  // What is not there is `usual`: a value of that type that the field has from the beginning.
  template <typename T>
  const FieldWriter& unless(std::string_view name, const T& value, const T& usual) const {
    return value == usual ? *this : (*this)(name, value);
  }
  template <typename T>
  const FieldWriter& unless_zero(std::string_view name, const T& value) const {
    return unless(name, value, T{});
  }
  // What is not there is not a number.
  const FieldWriter& unless_unknown(std::string_view name, double value) const {
    return std::isfinite(value) ? (*this)(name, value) : *this;
  }
  const FieldWriter& object(std::string_view name, const auto& visit) const {
    nlohmann::json& inside = to_[std::string(name)] = nlohmann::json::object();
    visit(FieldWriter(inside));
    return *this;
  }
  const FieldWriter& known_object(std::string_view name, const auto& visit) const {
    return object(name, visit);
  }

 private:
  template <typename T>
  static nlohmann::json to_json(const T& value) {
    if constexpr (HasFields<T>) {
      nlohmann::json object = nlohmann::json::object();
      T::visit_fields(value, FieldWriter(object));
      return object;
    } else if constexpr (requires { T::items(value); }) {
      return to_json(T::items(value));
    } else if constexpr (requires { value.count(); }) {
      return value.count();
    } else if constexpr (std::floating_point<T>) {
      return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
    } else {
      return value;
    }
  }
  template <typename Tag>
  static nlohmann::json to_json(const Counted<Tag>& value) {
    return value.value;
  }
  template <typename T>
  static nlohmann::json to_json(const std::vector<T>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (const T& value : values) {
      list.push_back(to_json(value));
    }
    return list;
  }
  template <typename... T>
  static nlohmann::json to_json(const std::tuple<T...>& values) {
    return std::apply([](const auto&... each) { return nlohmann::json::array({to_json(each)...}); },
                      values);
  }
  static nlohmann::json to_json(const LogHistogram& histogram) {
    const auto end = std::ranges::find_if(histogram.counts.rbegin(),
                                          histogram.counts.rend(),
                                          [](std::int64_t count) { return count != 0; });
    return std::vector<std::int64_t>(histogram.counts.begin(), end.base());
  }

  nlohmann::json& to_;
};

// Passes over what is not there, or is of another type. With Missing::is_damage every field has to
// be there and right; optional values and lists need not, nor what is inside them.
class FieldReader {
 public:
  enum class Missing { is_unknown, is_damage };

  FieldReader(const nlohmann::json& from, Missing missing) : from_(from), missing_(missing) {}

  template <typename T>
  FieldReader& operator()(std::string_view name, T& value) {
    note_damage(name, read_field(name, value));
    return *this;
  }
  template <typename... T>
  FieldReader& operator()(std::string_view name, std::tuple<T&...> values) {
    note_damage(name, read_field(name, values));
    return *this;
  }
  template <typename T>
  FieldReader& operator()(std::string_view name, std::optional<T>& value) {
    const auto found = from_.find(name);
    T read_value{};
    if (found != from_.end() && !found->is_null() && lenient().read(*found, read_value)) {
      value = std::move(read_value);
    }
    return *this;
  }
  template <typename T>
  FieldReader& operator()(std::string_view name, std::vector<T>& value) {
    lenient().read_field(name, value);
    return *this;
  }
  FieldReader& operator()(std::string_view name, LogHistogram& value) {
    lenient().read_field(name, value);
    return *this;
  }
  template <typename T>
  FieldReader& operator()(std::string_view /*follows from others*/, const T&& /*value*/) {
    return *this;
  }

  template <typename T>
  FieldReader& unless(std::string_view name, T& value, const T& /*usual*/) {
    return from_.contains(name) ? (*this)(name, value) : *this;
  }
  template <typename T>
  FieldReader& unless_zero(std::string_view name, T& value) {
    return unless(name, value, T{});
  }
  FieldReader& unless_unknown(std::string_view name, double& value) {
    value = std::numeric_limits<double>::quiet_NaN();
    return from_.contains(name) ? (*this)(name, value) : *this;
  }
  FieldReader& object(std::string_view name, const auto& visit) {
    const auto found = from_.find(name);
    if (!note_damage(name, found != from_.end() && found->is_object())) {
      visit_inside(*found, visit);
    }
    return *this;
  }

  // Not every writer knows it; where it is there, it is whole.
  FieldReader& known_object(std::string_view name, const auto& visit) {
    return from_.contains(name) ? object(name, visit) : *this;
  }

  // The first field that should be there and is not, or is wrong; empty: there is none.
  const std::string& damage() const { return damage_; }

 private:
  FieldReader lenient() const { return {from_, Missing::is_unknown}; }

  bool note_damage(std::string_view name, bool is_fine) {
    if (!is_fine && missing_ == Missing::is_damage && damage_.empty()) {
      damage_ = name;
    }
    return !is_fine;
  }

  template <typename T>
  bool read_field(std::string_view name, T& value) {
    const auto found = from_.find(name);
    return found != from_.end() && read(*found, value);
  }

  template <typename T>
  bool read(const nlohmann::json& from, T& to) {
    if constexpr (HasFields<T>) {
      if (from.is_object()) {
        visit_inside(from, [&to](FieldReader& inside) { T::visit_fields(to, inside); });
      }
      return from.is_object();
    } else if constexpr (requires { T::items(to); }) {
      auto items = T::items(to);
      return read(from, items);
    } else if constexpr (requires { to.count(); }) {
      return from.is_number() && (to = T(from.get<double>()), true);
    } else if constexpr (std::same_as<T, bool>) {
      return from.is_boolean() && (to = from.get<bool>(), true);
    } else if constexpr (std::integral<T>) {
      return read_integer(from, to);
    } else if constexpr (std::floating_point<T>) {
      to = from.is_number() ? from.get<T>()
                            : (from.is_null() ? std::numeric_limits<T>::quiet_NaN() : to);
      return from.is_number() || from.is_null();
    } else if constexpr (std::same_as<T, std::string>) {
      return from.is_string() && (to = from.get_ref<const std::string&>(), true);
    } else {
      to = from;
      return true;
    }
  }
  template <typename Tag>
  bool read(const nlohmann::json& from, Counted<Tag>& to) {
    return read_integer(from, to.value);
  }
  template <typename T>
  bool read(const nlohmann::json& from, std::vector<T>& to) {
    if (!from.is_array()) {
      return false;
    }
    for (const nlohmann::json& each : from) {
      if (!read(each, to.emplace_back())) {
        to.pop_back();
      }
    }
    return true;
  }
  template <typename T>
  bool read(const nlohmann::json& from, std::map<std::string, T>& to) {
    if (!from.is_object()) {
      return false;
    }
    for (const auto& [name, value] : from.items()) {
      if (T read_value{}; read(value, read_value)) {
        to.emplace(name, std::move(read_value));
      }
    }
    return true;
  }
  template <typename... T>
  bool read(const nlohmann::json& from, std::tuple<T&...>& to) {
    std::size_t at = 0;
    return from.is_array() && from.size() == sizeof...(T) &&
           std::apply([&](T&... each) { return (read(from[at++], each) && ...); }, to);
  }
  bool read(const nlohmann::json& from, LogHistogram& to) {
    std::vector<std::int64_t> counts;
    const bool is_list = read(from, counts);
    for (std::size_t i = 0; i < std::min(counts.size(), to.counts.size()); ++i) {
      // No more than a sum of all buckets can hold.
      to.counts[i] = std::clamp<std::int64_t>(counts[i], 0, 1LL << 56);
    }
    return is_list;
  }

  void visit_inside(const nlohmann::json& from, const auto& visit) {
    FieldReader inside(from, missing_);
    visit(inside);
    damage_ = damage_.empty() ? inside.damage_ : damage_;
  }

  // A number that the type does not hold is no number of ours.
  template <std::integral T>
  static bool read_integer(const nlohmann::json& from, T& to) {
    constexpr double kLargest = 9e18;
    std::int64_t number = 0;
    if (from.is_number_float() && std::abs(from.get<double>()) < kLargest) {
      number = static_cast<std::int64_t>(from.get<double>());
    } else if (from.is_number_integer() &&
               !(from.is_number_unsigned() && from.get<std::uint64_t>() > INT64_MAX)) {
      number = from.get<std::int64_t>();
    } else {
      return false;
    }
    return std::in_range<T>(number) && (to = static_cast<T>(number), true);
  }

  const nlohmann::json& from_;
  const Missing missing_;
  std::string damage_;
};

}  // namespace qanat
