#include "config/field_type.h"

#include <cmath>

#include "locale/messages.h"

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

Message or_unset(const Message& expected, std::string_view word) {
  return msg::expect_or_unset{.expected = expected, .word = word};
}

Message FieldType<bool>::expected(const FieldSpec&) {
  return msg::expect_bool{};
}

Message FieldType<std::string>::expected(const FieldSpec&) {
  return msg::expect_text{};
}

}  // namespace qanat
