#include "config/field_type.h"

#include <cmath>

#include "config/nearest.h"
#include "config/problem.h"

namespace qanat {
namespace {

constexpr double kOutOfReach = 1e9;

// Whole numbers without an exponent.
std::string plain(double value) {
  if (std::abs(value) < 1e15 && value == std::trunc(value)) {
    return fmt::format("{}", static_cast<std::int64_t>(value));
  }
  return fmt::format("{}", value);
}

}  // namespace

std::string number_with_range(std::string_view noun, const FieldSpec& spec) {
  const bool low = spec.min > -kOutOfReach;
  const bool high = spec.max < kOutOfReach;
  if (low && high) {
    return fmt::format("{} from {} to {}", noun, plain(spec.min), plain(spec.max));
  }
  if (low) {
    return fmt::format("{} of at least {}", noun, plain(spec.min));
  }
  return high ? fmt::format("{} of at most {}", noun, plain(spec.max)) : std::string(noun);
}

Result<Done> check_range(const FieldSpec& spec, double value) {
  if (value < spec.min || value > spec.max) {
    return Failure{fmt::format("out of range: {}", plain(value))};
  }
  return Done{};
}

std::string one_of(const std::vector<std::string>& words) {
  return fmt::format("one of {}", fmt::join(words, ", "));
}

Failure not_a_choice(const Scalar& scalar, const std::vector<std::string>& words) {
  if (scalar.text.empty()) {
    return {"no value"};
  }
  const std::optional<std::string> meant = nearest(scalar.text, words);
  return {fmt::format("unknown choice: {}{}",
                      shown(scalar.text),
                      meant ? fmt::format(" (did you mean {}?)", *meant) : "")};
}

}  // namespace qanat
