#include "text/persian_units.h"

#include <array>

#include "text/characters.h"
#include "text/units.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::array kMagnitudeSigns = {PersianUnit{"K", "هزار"}, PersianUnit{"M", "میلیون"}};

// In Persian text Latin letters behind a number are hardly ever words, so that single letters can
// be units. A sign that begins with another one stands before it.
constexpr std::array kPersianUnits = {
    PersianUnit{"kWh", "کیلووات ساعت"},
    PersianUnit{"Wh", "وات ساعت"},
    PersianUnit{"kV", "کیلوولت"},
    PersianUnit{"mV", "میلی‌ولت"},
    PersianUnit{"V", "ولت"},
    PersianUnit{"v", "ولت"},
    PersianUnit{"mAh", "میلی‌آمپر ساعت"},
    PersianUnit{"mah", "میلی‌آمپر ساعت"},
    PersianUnit{"Ah", "آمپر ساعت"},
    PersianUnit{"mA", "میلی‌آمپر"},
    PersianUnit{"A", "آمپر"},
    PersianUnit{"w", "وات"},
    PersianUnit{"Kw", "کیلووات"},
    PersianUnit{"KW", "کیلووات"},
    PersianUnit{"L", "لیتر"},
    PersianUnit{"l", "لیتر"},
    PersianUnit{"lit", "لیتر"},
    PersianUnit{"cc", "سی‌سی"},
    PersianUnit{"CC", "سی‌سی"},
    PersianUnit{"Gbps", "گیگابیت بر ثانیه"},
    PersianUnit{"Mbps", "مگابیت بر ثانیه"},
    PersianUnit{"mbps", "مگابیت بر ثانیه"},
    PersianUnit{"Kbps", "کیلوبیت بر ثانیه"},
    PersianUnit{"kbps", "کیلوبیت بر ثانیه"},
    PersianUnit{"GB/s", "گیگابایت بر ثانیه"},
    PersianUnit{"MB/s", "مگابایت بر ثانیه"},
    PersianUnit{"gb", "گیگابایت"},
    PersianUnit{"Gb", "گیگابایت"},
    PersianUnit{"mb", "مگابایت"},
    PersianUnit{"Mb", "مگابایت"},
    PersianUnit{"tb", "ترابایت"},
    PersianUnit{"kb", "کیلوبایت"},
    PersianUnit{"Kb", "کیلوبایت"},
    PersianUnit{"dB", "دسی‌بل"},
    PersianUnit{"db", "دسی‌بل"},
    PersianUnit{"MP", "مگاپیکسل"},
    PersianUnit{"px", "پیکسل"},
    PersianUnit{"rpm", "دور در دقیقه"},
    PersianUnit{"fps", "فریم بر ثانیه"},
    PersianUnit{"ppm", "پی‌پی‌ام"},
    PersianUnit{"hp", "اسب بخار"},
    PersianUnit{"HP", "اسب بخار"},
    PersianUnit{"kcal", "کیلوکالری"},
    PersianUnit{"cal", "کالری"},
    PersianUnit{"kPa", "کیلوپاسکال"},
    PersianUnit{"Pa", "پاسکال"},
    PersianUnit{"bar", "بار"},
    PersianUnit{"psi", "پی‌اس‌آی"},
    PersianUnit{"Km/h", "کیلومتر بر ساعت"},
    PersianUnit{"KM/H", "کیلومتر بر ساعت"},
    PersianUnit{"Km", "کیلومتر"},
    PersianUnit{"KM", "کیلومتر"},
    PersianUnit{"CM", "سانتی‌متر"},
    PersianUnit{"Cm", "سانتی‌متر"},
    PersianUnit{"MM", "میلی‌متر"},
    PersianUnit{"m2", "متر مربع"},
    PersianUnit{"m3", "متر مکعب"},
    PersianUnit{"cm2", "سانتی‌متر مربع"},
    PersianUnit{"km2", "کیلومتر مربع"},
    PersianUnit{"nm", "نانومتر"},
    PersianUnit{"inch", "اینچ"},
    PersianUnit{"Kg", "کیلوگرم"},
    PersianUnit{"KG", "کیلوگرم"},
    PersianUnit{"gr", "گرم"},
    PersianUnit{"Gr", "گرم"},
    PersianUnit{"ML", "میلی‌لیتر"},
    PersianUnit{"h", "ساعت"},
    PersianUnit{"s", "ثانیه"},
};

}  // namespace

std::optional<PersianUnit> find_persian_unit(string_view text) {
  if (text.empty() || (!is_ascii_letter(text[0]) && !text.starts_with("°"))) {
    return std::nullopt;
  }
  if (const SpokenUnit* unit = find_unit(text)) {
    return PersianUnit{.sign = unit->sign, .words = unit->persian};
  }
  const PersianUnit* unit = find_sign<PersianUnit>(kPersianUnits, text);
  unit = unit != nullptr ? unit : find_sign<PersianUnit>(kMagnitudeSigns, text);
  return unit != nullptr ? std::optional(*unit) : std::nullopt;
}

string_view magnitude_sign(string_view text) {
  const PersianUnit* magnitude = find_sign<PersianUnit>(kMagnitudeSigns, text);
  return magnitude != nullptr ? magnitude->words : string_view{};
}

}  // namespace qanat
