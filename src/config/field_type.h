// What each C++ type of a field means to a person: how it is read, written and described.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/result.h"
#include "base/time.h"
#include "config/field.h"
#include "config/scalar.h"

namespace qanat {

// Each specialisation has
//   Result<T> read(const FieldSpec&, const Scalar&)   checks the range, too
//   nlohmann::json json(const T&)
//   std::string text(const FieldSpec&, const T&)       as YAML; read() gives the same value back
//   std::string expected(const FieldSpec&)             "a whole number from 1 to 64"
template <typename T>
struct FieldType;

// "a whole number from 1 to 64", "a number of at least 0"; a bound nobody will reach is left out.
std::string number_with_range(std::string_view noun, const FieldSpec& spec);
Result<Done> check_range(const FieldSpec& spec, double value);

template <>
struct FieldType<bool> {
  static Result<bool> read(const FieldSpec&, const Scalar& scalar) { return parse_bool(scalar); }
  static nlohmann::json json(bool value) { return value; }
  static std::string text(const FieldSpec&, bool value) { return value ? "true" : "false"; }
  static std::string expected(const FieldSpec&) { return "true or false"; }
};

template <std::signed_integral T>
struct FieldType<T> {
  static Result<T> read(const FieldSpec& spec, const Scalar& scalar) {
    const Result<std::int64_t> value = parse_integer(scalar);
    if (!value) {
      return value.failure();
    }
    if (const auto in_range = check_range(spec, static_cast<double>(value.value())); !in_range) {
      return in_range.failure();
    }
    if (value.value() < std::numeric_limits<T>::min() ||
        value.value() > std::numeric_limits<T>::max()) {
      return Failure{fmt::format("too large: {}", value.value())};
    }
    return static_cast<T>(value.value());
  }
  static nlohmann::json json(T value) { return value; }
  static std::string text(const FieldSpec&, T value) { return fmt::format("{}", value); }
  static std::string expected(const FieldSpec& spec) {
    return number_with_range("a whole number", spec);
  }
};

template <>
struct FieldType<double> {
  static Result<double> read(const FieldSpec& spec, const Scalar& scalar) {
    const Result<double> value = parse_number(scalar);
    if (!value) {
      return value.failure();
    }
    if (const auto in_range = check_range(spec, value.value()); !in_range) {
      return in_range.failure();
    }
    return value.value();
  }
  static nlohmann::json json(double value) { return value; }
  static std::string text(const FieldSpec&, double value) { return fmt::format("{}", value); }
  static std::string expected(const FieldSpec& spec) { return number_with_range("a number", spec); }
};

template <>
struct FieldType<std::string> {
  static Result<std::string> read(const FieldSpec&, const Scalar& scalar) {
    return parse_string(scalar);
  }
  static nlohmann::json json(const std::string& value) { return value; }
  // JSON's quoting is understood by YAML.
  static std::string text(const FieldSpec&, const std::string& value) {
    return nlohmann::json(value).dump();
  }
  static std::string expected(const FieldSpec&) { return "text"; }
};

// Types that are a plain number to the user.
template <typename T, typename Plain, Plain (*ToPlain)(const T&)>
struct NumberLike {
  static Result<T> read(const FieldSpec& spec, const Scalar& scalar) {
    const Result<Plain> value = FieldType<Plain>::read(spec, scalar);
    if (!value) {
      return value.failure();
    }
    return T{value.value()};
  }
  static nlohmann::json json(const T& value) { return ToPlain(value); }
  static std::string text(const FieldSpec& spec, const T& value) {
    return FieldType<Plain>::text(spec, ToPlain(value));
  }
  static std::string expected(const FieldSpec& spec) { return FieldType<Plain>::expected(spec); }
};

inline double plain_seconds(const Seconds& value) {
  return value.count();
}
inline std::int64_t plain_megabytes(const Megabytes& value) {
  return value.value;
}

template <>
struct FieldType<Seconds> : NumberLike<Seconds, double, plain_seconds> {};
template <>
struct FieldType<Megabytes> : NumberLike<Megabytes, std::int64_t, plain_megabytes> {};

// "one of nano, tiny, small"
std::string one_of(const std::vector<std::string>& words);
Failure not_a_choice(const Scalar& scalar, const std::vector<std::string>& words);

template <typename E>
requires std::is_enum_v<E>
struct FieldType<E> {
  static_assert(!kChoices<E>.empty(), "specialise kChoices beside the enum");

  static std::vector<std::string> words() {
    std::vector<std::string> names;
    names.reserve(kChoices<E>.size());
    for (const Choice<E>& choice : kChoices<E>) {
      names.emplace_back(choice.name);
    }
    return names;
  }
  static Result<E> read(const FieldSpec&, const Scalar& scalar) {
    for (const Choice<E>& choice : kChoices<E>) {
      if (scalar.text == choice.name) {
        return choice.value;
      }
    }
    return not_a_choice(scalar, words());
  }
  static std::string name_of(E value) {
    for (const Choice<E>& choice : kChoices<E>) {
      if (choice.value == value) {
        return std::string(choice.name);
      }
    }
    return "";
  }
  static nlohmann::json json(E value) { return name_of(value); }
  static std::string text(const FieldSpec&, E value) { return name_of(value); }
  static std::string expected(const FieldSpec&) { return one_of(words()); }
};

// Absent is written as the spec's word and is null in JSON.
template <typename T>
struct FieldType<std::optional<T>> {
  static Result<std::optional<T>> read(const FieldSpec& spec, const Scalar& scalar) {
    if (is_unset(scalar)) {
      return std::optional<T>();
    }
    Result<T> value = FieldType<T>::read(spec, scalar);
    if (!value) {
      return value.failure();
    }
    return std::optional<T>(std::move(value).value());
  }
  static nlohmann::json json(const std::optional<T>& value) {
    return value ? FieldType<T>::json(*value) : nlohmann::json();
  }
  static std::string text(const FieldSpec& spec, const std::optional<T>& value) {
    return value ? FieldType<T>::text(spec, *value) : std::string(spec.unset_word);
  }
  static std::string expected(const FieldSpec& spec) {
    return fmt::format("{}, or {}", FieldType<T>::expected(spec), spec.unset_word);
  }
};

}  // namespace qanat
