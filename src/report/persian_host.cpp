// The sentences of `qanat diagnose` around the findings.
#include <array>

#include "report/persian.h"

namespace qanat {

std::span<const Translation> persian_host_sentences() {
  static constexpr auto kSentences = std::to_array<Translation>({
      {"ISSUES", "مشکل‌ها"},
      {"RECOMMENDATIONS", "پیشنهادها"},
      {"CONFIGURATION CHANGES", "تغییرهای پیکربندی"},
      {"flags", "پرچم‌ها"},
      {"verify:", "آزمودن:"},
      {"nothing is wrong with what could be checked", "در آنچه بررسی شد ایرادی نبود"},
      {"none: nothing that a flag or key would change is worth changing",
       "هیچ: چیزی که پرچم یا کلیدی عوضش کند ارزش تغییر ندارد"},
  });
  return kSentences;
}

}  // namespace qanat
