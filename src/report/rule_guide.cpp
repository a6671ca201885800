#include "report/rule_guide.h"

#include <algorithm>
#include <array>

namespace qanat {
namespace {

struct CategoryTitle {
  std::string_view category;
  std::string_view english;
  std::string_view persian;
};

constexpr auto kTitles = std::to_array<CategoryTitle>({
    {"data", "The way of the data", "راه داده"},
    {"transfer", "The way to the device", "راه دستگاه"},
    {"compute", "The step itself", "خود گام"},
    {"rhythm", "Rhythm and variation", "آهنگ و نوسان"},
    {"host", "The machine", "دستگاه میزبان"},
    {"storage", "Storage", "حافظهٔ ذخیره‌سازی"},
    {"hardware", "GPUs and their links", "GPUها و پیوندهایشان"},
    {"dual", "Two devices", "دو دستگاه"},
});

}  // namespace

std::optional<RuleGuide> guide_of(std::string_view id, Language language) {
  const std::span<const RuleGuide> guides =
      language == Language::fa ? persian_rule_guides() : english_rule_guides();
  const auto found = std::ranges::find(guides, id, &RuleGuide::id);
  return found == guides.end() ? std::nullopt : std::optional(*found);
}

std::string_view category_title(std::string_view category, Language language) {
  const auto found = std::ranges::find(kTitles, category, &CategoryTitle::category);
  if (found == kTitles.end()) {
    return category;
  }
  return language == Language::fa ? found->persian : found->english;
}

}  // namespace qanat
