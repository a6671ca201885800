#include "config/field_type.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/ranges.h>

#include "locale/messages/configuration.h"
#include "locale/messages/devices.h"
#include "locale/messages/languages.h"

namespace qanat {
namespace {

constexpr double kOutOfReach = 1e9;

// As it is typed: whole numbers without an exponent.
std::string typed(double value) {
  if (std::abs(value) < 1e15 && value == std::trunc(value)) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

template <typename Both, typename Low, typename High, typename None>
Message with_range(double min, double max) {
  const bool low = min > -kOutOfReach;
  const bool high = max < kOutOfReach;
  if (low && high) {
    return Both{.min = typed(min), .max = typed(max)};
  }
  if (low) {
    return Low{.min = typed(min)};
  }
  return high ? Message(High{.max = typed(max)}) : Message(None{});
}

}  // namespace

Message expected_number(NumberKind kind, double min, double max) {
  return kind == NumberKind::whole ? with_range<msg::expect_integer_between,
                                                msg::expect_integer_from,
                                                msg::expect_integer_to,
                                                msg::expect_integer>(min, max)
                                   : with_range<msg::expect_number_between,
                                                msg::expect_number_from,
                                                msg::expect_number_to,
                                                msg::expect_number>(min, max);
}

Message one_of(const std::vector<std::string>& words) {
  return msg::expect_one_of{.words = words};
}

Message several_of(const std::vector<std::string>& words) {
  return msg::expect_several_of{.words = words};
}

Message or_unset(const Message& expected, std::string_view word) {
  return msg::expect_or_unset{.expected = expected, .word = word};
}

Message FieldType<bool>::expected(const FieldSpec&) {
  return msg::expect_bool{};
}

Message FieldType<std::string>::expected(const FieldSpec&) {
  return msg::expect_text{};
}

Message FieldType<LanguageTag>::expected(const FieldSpec&) {
  return msg::expect_language{};
}

std::optional<GpuList> FieldType<GpuList>::read(const FieldSpec& spec, const Scalar& scalar) {
  std::vector<int> indices;
  std::size_t begin = 0;
  // A list of several needs its quotes inside braces; a number is none with them.
  const bool quoted = scalar.quoted && scalar.text.find(',') == std::string::npos;
  while (begin <= scalar.text.size()) {
    const std::size_t end = std::min(scalar.text.find(',', begin), scalar.text.size());
    const std::optional<int> index = FieldType<int>::read(
        spec, {.text = scalar.text.substr(begin, end - begin), .quoted = quoted});
    if (!index) {
      return std::nullopt;
    }
    indices.push_back(*index);
    begin = end + 1;
  }
  return GpuList(std::move(indices));
}

nlohmann::json FieldType<GpuList>::json(const GpuList& value) {
  return value.indices.size() == 1 ? nlohmann::json(value.first()) : nlohmann::json(value.indices);
}

std::string FieldType<GpuList>::text(const FieldSpec&, const GpuList& value) {
  return fmt::format("{}", fmt::join(value.indices, ","));
}

Message FieldType<GpuList>::expected(const FieldSpec& spec) {
  return msg::expect_gpu_list{.min = typed(spec.min), .max = typed(spec.max)};
}

}  // namespace qanat
