#include "metrics/thinned_list.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

std::vector<int> after(int count) {
  ThinnedList<int> list(4);
  for (int i = 0; i < count; ++i) {
    list.add(i);
  }
  std::vector<int> kept;
  list.visit([&kept](int value) { kept.push_back(value); });
  return kept;
}

TEST(ThinnedListTest, KeepsTheFirstTheNewestAndSomeBetween) {
  EXPECT_THAT(after(0), testing::IsEmpty());
  EXPECT_THAT(after(4), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(after(5), testing::ElementsAre(0, 2, 4));
  EXPECT_THAT(after(6), testing::ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(after(1000), testing::ElementsAre(0, 256, 512, 768, 999));
}

}  // namespace
}  // namespace qanat
