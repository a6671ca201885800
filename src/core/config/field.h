// What is known about one configuration field besides its value, and the protocol that walks them.
//
// Every config struct has exactly one `visit_fields(config, visitor)`, in config/fields.h. It calls
// `visitor(const FieldSpec&, value)` once per field; the YAML reader, the flags, `--set`, the help
// texts, the dump and docs/*/configuration.md are all visitors. The names are string literals.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/message.h"
#include "base/quantity.h"

namespace qanat {

// What a field needs to have an effect.
enum class Needs {
  nothing,
  gpu,         // a GPU, real or virtual
  cuda,        // a real one
  tensorflow,  // never there; the key is known because configurations in use carry it
};

struct FieldSpec {
  std::string_view name;            // key inside its section, and the name of the C++ field
  MessageId help;                   // one phrase, lower case, no full stop
  std::string_view unit_name = "";  // "tokens", "s", "MB"; empty when there is none
  std::string_view flag_names =
      "";                          // "--batch-size", several separated by commas; empty: only --set
  std::string_view off_flag = "";  // the flag that sets a bool to false
  std::string_view unset_word = "auto";  // how an absent optional is written: `auto` or `none`
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  Needs needs = Needs::nothing;
  MessageId inert_reason{};                  // said once at start when `needs` is not met
  std::string_view passive_value = "false";  // asks for nothing, so needs no warning

  constexpr FieldSpec unit(std::string_view text) const {
    return with(&FieldSpec::unit_name, text);
  }
  constexpr FieldSpec flag(std::string_view on, std::string_view off = "") const {
    return with(&FieldSpec::flag_names, on).with(&FieldSpec::off_flag, off);
  }
  constexpr FieldSpec unset(std::string_view word) const {
    return with(&FieldSpec::unset_word, word);
  }
  constexpr FieldSpec range(double low, double high) const {
    return with(&FieldSpec::min, low).with(&FieldSpec::max, high);
  }
  constexpr FieldSpec inert_without(Needs what, MessageId reason) const {
    return with(&FieldSpec::needs, what).with(&FieldSpec::inert_reason, reason);
  }
  constexpr FieldSpec passive(std::string_view value) const {
    return with(&FieldSpec::passive_value, value);
  }

 private:
  template <typename T>
  constexpr FieldSpec with(T FieldSpec::*member, T value) const {
    FieldSpec copy = *this;
    copy.*member = value;
    return copy;
  }
};

constexpr FieldSpec field(std::string_view name, MessageId help) {
  return FieldSpec{.name = name, .help = help};
}

struct SectionSpec {
  std::string_view name;
  MessageId help;
  MessageId heading;  // above its flags in --help
};

// A memory size as users write it: a plain number of MB (1024 * 1024 bytes).
struct Megabytes {
  std::int64_t value = 0;

  constexpr Bytes bytes() const { return mebibytes(value); }
  friend constexpr auto operator<=>(Megabytes, Megabytes) = default;
};

// GPUs, one per process of this machine; one is a plain number. Never empty.
struct GpuList {
  GpuList(int one) : indices{one} {}  // NOLINT(google-explicit-constructor): a number is a list
  explicit GpuList(std::vector<int> all) : indices(std::move(all)) {}

  // The index for the process that has this number on its machine; a single one is for all.
  int of(int process) const {
    return indices[indices.size() == 1 ? 0 : static_cast<std::size_t>(process)];
  }
  int first() const { return indices.front(); }
  bool operator==(const GpuList&) const = default;

  std::vector<int> indices;
};

template <typename E>
struct Choice {
  std::string_view name;
  E value;
};
template <typename E>
Choice(std::string_view, E) -> Choice<E>;  // clang 14 does not deduce aggregates

// The words of an enum; specialised beside each enum that is a field.
template <typename E>
inline constexpr std::array<Choice<E>, 0> kChoices{};

template <typename C, typename Config>
concept ConstOrNot = std::same_as<std::remove_const_t<C>, Config>;

}  // namespace qanat
