#include "text/english_units.h"

#include <algorithm>
#include <array>
#include <string>

#include "text/place.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

struct EnglishUnitSign {
  string_view sign;
  string_view singular;
  string_view plural;
};

// A sign that begins with another one stands before it.
constexpr std::array kEnglishUnits = {
    EnglishUnitSign{"sq. ft.", "square foot", "square feet"},
    EnglishUnitSign{"sq ft", "square foot", "square feet"},
    EnglishUnitSign{"sq. mi.", "square mile", "square miles"},
    EnglishUnitSign{"sq mi", "square mile", "square miles"},
    EnglishUnitSign{"sq km", "square kilometer", "square kilometers"},
    EnglishUnitSign{"sq m", "square meter", "square meters"},
    EnglishUnitSign{"cu ft", "cubic foot", "cubic feet"},
    EnglishUnitSign{"fl. oz.", "fluid ounce", "fluid ounces"},
    EnglishUnitSign{"fl oz", "fluid ounce", "fluid ounces"},
    EnglishUnitSign{"tbsp", "tablespoon", "tablespoons"},
    EnglishUnitSign{"tsp", "teaspoon", "teaspoons"},
    EnglishUnitSign{"gal", "gallon", "gallons"},
    EnglishUnitSign{"qt", "quart", "quarts"},
    EnglishUnitSign{"mpg", "mile per gallon", "miles per gallon"},
    EnglishUnitSign{"rpm", "revolution per minute", "revolutions per minute"},
    EnglishUnitSign{"bpm", "beat per minute", "beats per minute"},
    EnglishUnitSign{"fps", "frame per second", "frames per second"},
    EnglishUnitSign{"psi", "pound per square inch", "pounds per square inch"},
    EnglishUnitSign{"ppm", "part per million", "parts per million"},
    EnglishUnitSign{"Kbps", "kilobit per second", "kilobits per second"},
    EnglishUnitSign{"kbps", "kilobit per second", "kilobits per second"},
    EnglishUnitSign{"Mbps", "megabit per second", "megabits per second"},
    EnglishUnitSign{"Gbps", "gigabit per second", "gigabits per second"},
    EnglishUnitSign{"KB/s", "kilobyte per second", "kilobytes per second"},
    EnglishUnitSign{"MB/s", "megabyte per second", "megabytes per second"},
    EnglishUnitSign{"GB/s", "gigabyte per second", "gigabytes per second"},
    EnglishUnitSign{"mg/dL", "milligram per deciliter", "milligrams per deciliter"},
    EnglishUnitSign{"kWh", "kilowatt hour", "kilowatt hours"},
    EnglishUnitSign{"mAh", "milliamp hour", "milliamp hours"},
    EnglishUnitSign{"mA", "milliamp", "milliamps"},
    EnglishUnitSign{"kV", "kilovolt", "kilovolts"},
    EnglishUnitSign{"mV", "millivolt", "millivolts"},
    EnglishUnitSign{"V", "volt", "volts"},
    EnglishUnitSign{"L", "liter", "liters"},
    EnglishUnitSign{"dB", "decibel", "decibels"},
    EnglishUnitSign{"px", "pixel", "pixels"},
    EnglishUnitSign{"hp", "horsepower", "horsepower"},
    EnglishUnitSign{"kcal", "kilocalorie", "kilocalories"},
    EnglishUnitSign{"kJ", "kilojoule", "kilojoules"},
    EnglishUnitSign{"mcg", "microgram", "micrograms"},
    EnglishUnitSign{"µg", "microgram", "micrograms"},
    EnglishUnitSign{"μg", "microgram", "micrograms"},
    EnglishUnitSign{"µm", "micrometer", "micrometers"},
    EnglishUnitSign{"μm", "micrometer", "micrometers"},
    EnglishUnitSign{"nm", "nanometer", "nanometers"},
    EnglishUnitSign{"kts", "knot", "knots"},
    EnglishUnitSign{"mins", "minute", "minutes"},
    EnglishUnitSign{"secs", "second", "seconds"},
    EnglishUnitSign{"yrs", "year", "years"},
    EnglishUnitSign{"yr", "year", "years"},
    EnglishUnitSign{"mos", "month", "months"},
    EnglishUnitSign{"wks", "week", "weeks"},
    EnglishUnitSign{"h", "hour", "hours"},
};

// "m squared" is a square meter; the fold wrote the exponent out.
EnglishUnit find_power(string_view text, const WrittenNumber& number) {
  for (const string_view sign : {"km", "cm", "mm", "mi", "ft", "m"}) {
    const string_view after = text.substr(std::min(sign.size(), text.size()));
    const bool square = after.starts_with(" squared");
    if (!text.starts_with(sign) || (!square && !after.starts_with(" cubed"))) {
      continue;
    }
    const std::size_t exponent = string_view(square ? " squared" : " cubed").size();
    const SpokenUnit* unit = find_unit(sign);
    if (unit == nullptr || !ends_unit_sign(after.substr(exponent))) {
      return {};
    }
    return {.words = (square ? "square " : "cubic ") +
                     std::string(number.is_one() ? unit->singular : unit->plural),
            .length = sign.size() + exponent};
  }
  return {};
}

}  // namespace

EnglishUnit find_english_unit(string_view text, const WrittenNumber& number) {
  if (EnglishUnit power = find_power(text, number); power.length > 0) {
    return power;
  }
  if (const EnglishUnitSign* unit = find_sign<EnglishUnitSign>(kEnglishUnits, text)) {
    return {.words = std::string(number.is_one() ? unit->singular : unit->plural),
            .length = unit->sign.size()};
  }
  if (const SpokenUnit* unit = find_unit(text)) {
    return {.words = std::string(number.is_one() ? unit->singular : unit->plural),
            .length = unit->sign.size()};
  }
  return {};
}

}  // namespace qanat
