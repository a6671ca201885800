#include "text/units.h"

#include <array>

#include "text/characters.h"

namespace qanat {
namespace {

// A sign that begins with another one stands before it. Left out: signs that are more often
// words or years ("in", "s", "l", "h").
constexpr std::array kUnits = {
    Unit{"km/h", "kilometer per hour", "kilometers per hour", "کیلومتر بر ساعت"},
    Unit{"kph", "kilometer per hour", "kilometers per hour", "کیلومتر بر ساعت"},
    Unit{"mph", "mile per hour", "miles per hour", "مایل بر ساعت"},
    Unit{"m/s", "meter per second", "meters per second", "متر بر ثانیه"},
    Unit{"km", "kilometer", "kilometers", "کیلومتر"},
    Unit{"cm", "centimeter", "centimeters", "سانتی‌متر"},
    Unit{"mm", "millimeter", "millimeters", "میلی‌متر"},
    Unit{"m", "meter", "meters", "متر"},
    Unit{"mi", "mile", "miles", "مایل"},
    Unit{"ft", "foot", "feet", "فوت"},
    Unit{"yd", "yard", "yards", "یارد"},
    Unit{"kg", "kilogram", "kilograms", "کیلوگرم"},
    Unit{"mg", "milligram", "milligrams", "میلی‌گرم"},
    Unit{"g", "gram", "grams", "گرم"},
    Unit{"lbs", "pound", "pounds", "پوند"},
    Unit{"lb", "pound", "pounds", "پوند"},
    Unit{"oz", "ounce", "ounces", "اونس"},
    Unit{"ml", "milliliter", "milliliters", "میلی‌لیتر"},
    Unit{"mL", "milliliter", "milliliters", "میلی‌لیتر"},
    Unit{"ms", "millisecond", "milliseconds", "میلی‌ثانیه"},
    Unit{"sec", "second", "seconds", "ثانیه"},
    Unit{"min", "minute", "minutes", "دقیقه"},
    Unit{"hrs", "hour", "hours", "ساعت"},
    Unit{"hr", "hour", "hours", "ساعت"},
    Unit{"GHz", "gigahertz", "gigahertz", "گیگاهرتز"},
    Unit{"MHz", "megahertz", "megahertz", "مگاهرتز"},
    Unit{"kHz", "kilohertz", "kilohertz", "کیلوهرتز"},
    Unit{"Hz", "hertz", "hertz", "هرتز"},
    Unit{"kB", "kilobyte", "kilobytes", "کیلوبایت"},
    Unit{"KB", "kilobyte", "kilobytes", "کیلوبایت"},
    Unit{"MB", "megabyte", "megabytes", "مگابایت"},
    Unit{"GB", "gigabyte", "gigabytes", "گیگابایت"},
    Unit{"TB", "terabyte", "terabytes", "ترابایت"},
    Unit{"kW", "kilowatt", "kilowatts", "کیلووات"},
    Unit{"MW", "megawatt", "megawatts", "مگاوات"},
    Unit{"W", "watt", "watts", "وات"},
    Unit{"°C", "degree celsius", "degrees celsius", "درجه سانتی‌گراد"},
    Unit{"°F", "degree fahrenheit", "degrees fahrenheit", "درجه فارنهایت"},
    Unit{"°", "degree", "degrees", "درجه"},
};

bool ends_as_a_sign(std::string_view after) {
  return after.empty() || (!is_ascii_letter(after[0]) && !is_ascii_digit(after[0]) &&
                           after[0] != '/' && after[0] != '\'');
}

}  // namespace

const Unit* find_unit(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.starts_with(unit.sign) && ends_as_a_sign(text.substr(unit.sign.size()))) {
      return &unit;
    }
  }
  return nullptr;
}

}  // namespace qanat
