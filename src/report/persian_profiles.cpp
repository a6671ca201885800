// Units of evidence, where gains come from, and how fixes are verified.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_profile_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      // Headings.
      {"none", "هیچ"},

      // The loader.
      {"queue", "صف"},
      {"rows", "ردیف‌ها"},

      // Steps.
      {"other", "دیگر"},
      {"min", "کمینه"},
      {"max", "بیشینه"},

      // Steadiness and trend.
      {"intermittent stalls", "ایست‌های گاه‌به‌گاه"},
      {"drift", "رانش"},
      {"level shift", "جابه‌جایی سطح"},

      // Units of evidence.
      {"/s", " در ثانیه"},
      {"W", "وات"},
      {"degrees C", "درجهٔ سلسیوس"},
      {"GPUs", "GPU"},
      {"code", "کد"},
      {"errors", "خطا"},
      {"faults", "خطای صفحه"},
      {"gen", "نسل"},
      {"kinds", "گونه"},
      {"lanes", "خط"},
      {"level", "سطح"},
      {"node", "گره"},
      {"nodes", "گره"},
      {"processes", "فرایند"},
      {"threads", "رشته"},

      // Where a gain comes from.
      {"measured", "سنجیده"},
      {"clocks", "بسامدها"},

      // How to see that a fix worked.
      {"nvidia-smi -q -d PERFORMANCE while it trains",
       "\u2068nvidia-smi -q -d PERFORMANCE\u2069 هنگام آموزش"},
      {"qanat devices, beside nvidia-smi -L",
       "\u2068qanat devices\u2069 در کنار \u2068nvidia-smi -L\u2069"},
      {"qanat diagnose on the copy: compare the storage section",
       "\u2068qanat diagnose\u2069 روی رونوشت: بخش ذخیره‌گاه را بسنجید"},
      {"qanat precompute --train-data DIR, then run again",
       "\u2068qanat precompute --train-data DIR\u2069، سپس دوباره اجرا کنید"},
      {"qanat profile dual with the flag", "\u2068qanat profile dual\u2069 با همین پرچم"},
      {"qanat validate compares one GPU with two",
       "\u2068qanat validate\u2069 یک GPU را با دو می‌سنجد"},
      {"qanat validate measures the copies in GB/s",
       "\u2068qanat validate\u2069 رونوشت‌برداری را به گیگابایت در ثانیه می‌سنجد"},
      {"qanat validate measures the link in GB/s",
       "\u2068qanat validate\u2069 پیوند را به گیگابایت در ثانیه می‌سنجد"},
  });
  return kSentences;
}

}  // namespace qanat
