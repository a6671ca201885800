// What each C++ type of a field means to a person: how it is read, written and described.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/language_tag.h"
#include "base/message.h"
#include "base/time.h"
#include "config/field.h"
#include "config/scalar.h"

namespace qanat {

// Each specialisation has
//   std::optional<T> read(const FieldSpec&, const Scalar&)  nothing: not such a value, or out of
//   range nlohmann::json json(const T&) std::string text(const FieldSpec&, const T&)            as
//   YAML; read() gives the same value back Message expected(const FieldSpec&) "a whole number from
//   1 to 64" std::vector<std::string> words()                        of a choice; else there are
//   none
template <typename T>
struct FieldType;

enum class NumberKind { whole, real };
// "a whole number from 1 to 64", "a number of at least 0"; a bound nobody will reach is left out.
Message expected_number(NumberKind kind, double min, double max);
// "one of nano, tiny, small"
Message one_of(const std::vector<std::string>& words);
// "one or several of ..., separated by commas"
Message several_of(const std::vector<std::string>& words);
// "..., or auto"
Message or_unset(const Message& expected, std::string_view word);

inline bool in_range(const FieldSpec& spec, double value) {
  return value >= spec.min && value <= spec.max;
}

// Types that are no choice have no words.
struct NoWords {
  static std::vector<std::string> words() { return {}; }
};

template <>
struct FieldType<bool> : NoWords {
  static std::optional<bool> read(const FieldSpec&, const Scalar& scalar) {
    return parse_bool(scalar);
  }
  static nlohmann::json json(bool value) { return value; }
  static std::string text(const FieldSpec&, bool value) { return value ? "true" : "false"; }
  static Message expected(const FieldSpec&);
};

template <std::signed_integral T>
struct FieldType<T> : NoWords {
  static std::optional<T> read(const FieldSpec& spec, const Scalar& scalar) {
    const std::optional<std::int64_t> value = parse_integer(scalar);
    const bool fits = value && in_range(spec, static_cast<double>(*value)) &&
                      *value >= std::numeric_limits<T>::min() &&
                      *value <= std::numeric_limits<T>::max();
    return fits ? std::optional(static_cast<T>(*value)) : std::nullopt;
  }
  static nlohmann::json json(T value) { return value; }
  static std::string text(const FieldSpec&, T value) { return fmt::format("{}", value); }
  static Message expected(const FieldSpec& spec) {
    return expected_number(NumberKind::whole, spec.min, spec.max);
  }
};

template <>
struct FieldType<double> : NoWords {
  static std::optional<double> read(const FieldSpec& spec, const Scalar& scalar) {
    const std::optional<double> value = parse_number(scalar);
    return value && in_range(spec, *value) ? value : std::nullopt;
  }
  static nlohmann::json json(double value) { return value; }
  static std::string text(const FieldSpec&, double value) { return fmt::format("{}", value); }
  static Message expected(const FieldSpec& spec) {
    return expected_number(NumberKind::real, spec.min, spec.max);
  }
};

template <>
struct FieldType<std::string> : NoWords {
  static std::optional<std::string> read(const FieldSpec&, const Scalar& scalar) {
    return parse_string(scalar);
  }
  static nlohmann::json json(const std::string& value) { return value; }
  // JSON's quoting is understood by YAML.
  static std::string text(const FieldSpec&, const std::string& value) {
    return nlohmann::json(value).dump();
  }
  static Message expected(const FieldSpec&);
};

// Types that are a plain number to the user.
template <typename T, typename Plain, Plain (*ToPlain)(const T&)>
struct NumberLike : NoWords {
  static std::optional<T> read(const FieldSpec& spec, const Scalar& scalar) {
    const std::optional<Plain> value = FieldType<Plain>::read(spec, scalar);
    return value ? std::optional(T{*value}) : std::nullopt;
  }
  static nlohmann::json json(const T& value) { return ToPlain(value); }
  static std::string text(const FieldSpec& spec, const T& value) {
    return FieldType<Plain>::text(spec, ToPlain(value));
  }
  static Message expected(const FieldSpec& spec) { return FieldType<Plain>::expected(spec); }
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

// "de", "pt-BR"; see to_language_tag().
template <>
struct FieldType<LanguageTag> : NoWords {
  static std::optional<LanguageTag> read(const FieldSpec&, const Scalar& scalar) {
    return to_language_tag(scalar.text);
  }
  static nlohmann::json json(const LanguageTag& value) { return value.text(); }
  static std::string text(const FieldSpec&, const LanguageTag& value) { return value.text(); }
  static Message expected(const FieldSpec&);
};

// "1", or "1,3" for several processes.
template <>
struct FieldType<GpuList> : NoWords {
  static std::optional<GpuList> read(const FieldSpec& spec, const Scalar& scalar);
  static nlohmann::json json(const GpuList& value);
  static std::string text(const FieldSpec& spec, const GpuList& value);
  static Message expected(const FieldSpec& spec);
};

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
  static std::optional<E> read(const FieldSpec&, const Scalar& scalar) {
    for (const Choice<E>& choice : kChoices<E>) {
      if (scalar.text == choice.name) {
        return choice.value;
      }
    }
    return std::nullopt;
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
  static Message expected(const FieldSpec&) { return one_of(words()); }
};

// Words with commas between them, each once: "decoder,aligner".
template <typename E>
requires std::is_enum_v<E>
struct FieldType<std::vector<E>> {
  static std::vector<std::string> words() { return FieldType<E>::words(); }
  static std::optional<std::vector<E>> read(const FieldSpec& spec, const Scalar& scalar) {
    std::vector<E> values;
    for (std::size_t begin = 0; begin <= scalar.text.size();) {
      const std::size_t end = std::min(scalar.text.find(',', begin), scalar.text.size());
      begin = std::min(scalar.text.find_first_not_of(' ', begin), end);  // "decoder, aligner"
      const std::optional<E> value = FieldType<E>::read(
          spec, {.text = scalar.text.substr(begin, end - begin), .quoted = scalar.quoted});
      if (!value || std::ranges::find(values, *value) != values.end()) {
        return std::nullopt;
      }
      values.push_back(*value);
      begin = end + 1;
    }
    return values;
  }
  static std::vector<std::string> names(const std::vector<E>& values) {
    std::vector<std::string> all;
    all.reserve(values.size());
    for (const E value : values) {
      all.push_back(FieldType<E>::name_of(value));
    }
    return all;
  }
  static nlohmann::json json(const std::vector<E>& values) { return names(values); }
  static std::string text(const FieldSpec&, const std::vector<E>& values) {
    return fmt::format("{}", fmt::join(names(values), ","));
  }
  static Message expected(const FieldSpec&) { return several_of(words()); }
};

// Absent is written as the spec's word and is null in JSON.
template <typename T>
struct FieldType<std::optional<T>> {
  static std::optional<std::optional<T>> read(const FieldSpec& spec, const Scalar& scalar) {
    if (is_unset(scalar)) {
      return std::optional<T>();
    }
    std::optional<T> value = FieldType<T>::read(spec, scalar);
    if (!value) {
      return std::nullopt;  // of the outer: what cannot be read is not the same as unset
    }
    return std::optional<std::optional<T>>(std::move(value));
  }
  static nlohmann::json json(const std::optional<T>& value) {
    return value ? FieldType<T>::json(*value) : nlohmann::json();
  }
  static std::string text(const FieldSpec& spec, const std::optional<T>& value) {
    return value ? FieldType<T>::text(spec, *value) : std::string(spec.unset_word);
  }
  static Message expected(const FieldSpec& spec) {
    return or_unset(FieldType<T>::expected(spec), spec.unset_word);
  }
  static std::vector<std::string> words() { return FieldType<T>::words(); }
};

}  // namespace qanat
