#include "text/units.h"

#include <array>

#include "text/characters.h"

namespace qanat {
namespace {

// A sign that begins with another one stands before it. Left out: signs that are more often
// words or years ("in", "s", "l", "h").
constexpr std::array kUnits = {
    SpokenUnit{"km/h", "kilometer per hour", "kilometers per hour", "کیلومتر بر ساعت"},
    SpokenUnit{"kph", "kilometer per hour", "kilometers per hour", "کیلومتر بر ساعت"},
    SpokenUnit{"mph", "mile per hour", "miles per hour", "مایل بر ساعت"},
    SpokenUnit{"m/s", "meter per second", "meters per second", "متر بر ثانیه"},
    SpokenUnit{"km", "kilometer", "kilometers", "کیلومتر"},
    SpokenUnit{"cm", "centimeter", "centimeters", "سانتی‌متر"},
    SpokenUnit{"mm", "millimeter", "millimeters", "میلی‌متر"},
    SpokenUnit{"m", "meter", "meters", "متر"},
    SpokenUnit{"mi", "mile", "miles", "مایل"},
    SpokenUnit{"ft", "foot", "feet", "فوت"},
    SpokenUnit{"yd", "yard", "yards", "یارد"},
    SpokenUnit{"kg", "kilogram", "kilograms", "کیلوگرم"},
    SpokenUnit{"mg", "milligram", "milligrams", "میلی‌گرم"},
    SpokenUnit{"g", "gram", "grams", "گرم"},
    SpokenUnit{"lbs", "pound", "pounds", "پوند"},
    SpokenUnit{"lb", "pound", "pounds", "پوند"},
    SpokenUnit{"oz", "ounce", "ounces", "اونس"},
    SpokenUnit{"ml", "milliliter", "milliliters", "میلی‌لیتر"},
    SpokenUnit{"mL", "milliliter", "milliliters", "میلی‌لیتر"},
    SpokenUnit{"ms", "millisecond", "milliseconds", "میلی‌ثانیه"},
    SpokenUnit{"sec", "second", "seconds", "ثانیه"},
    SpokenUnit{"min", "minute", "minutes", "دقیقه"},
    SpokenUnit{"hrs", "hour", "hours", "ساعت"},
    SpokenUnit{"hr", "hour", "hours", "ساعت"},
    SpokenUnit{"GHz", "gigahertz", "gigahertz", "گیگاهرتز"},
    SpokenUnit{"MHz", "megahertz", "megahertz", "مگاهرتز"},
    SpokenUnit{"kHz", "kilohertz", "kilohertz", "کیلوهرتز"},
    SpokenUnit{"Hz", "hertz", "hertz", "هرتز"},
    SpokenUnit{"kB", "kilobyte", "kilobytes", "کیلوبایت"},
    SpokenUnit{"KB", "kilobyte", "kilobytes", "کیلوبایت"},
    SpokenUnit{"MB", "megabyte", "megabytes", "مگابایت"},
    SpokenUnit{"GB", "gigabyte", "gigabytes", "گیگابایت"},
    SpokenUnit{"TB", "terabyte", "terabytes", "ترابایت"},
    SpokenUnit{"kW", "kilowatt", "kilowatts", "کیلووات"},
    SpokenUnit{"MW", "megawatt", "megawatts", "مگاوات"},
    SpokenUnit{"W", "watt", "watts", "وات"},
    SpokenUnit{"°C", "degree celsius", "degrees celsius", "درجه سانتی‌گراد"},
    SpokenUnit{"°F", "degree fahrenheit", "degrees fahrenheit", "درجه فارنهایت"},
    SpokenUnit{"°", "degree", "degrees", "درجه"},
};

}  // namespace

bool ends_unit_sign(std::string_view after) {
  return after.empty() || (!is_ascii_letter(after[0]) && !is_ascii_digit(after[0]) &&
                           after[0] != '/' && after[0] != '\'');
}

const SpokenUnit* find_unit(std::string_view text) {
  return find_sign<SpokenUnit>(kUnits, text);
}

}  // namespace qanat
