#include "base/content_hash.h"

#include <string_view>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(ContentHashTest, IsXxh3) {
  // The value every XXH3 implementation gives for no bytes and seed 0.
  EXPECT_EQ(content_hash(std::string_view()), 0x2D06800538D394C2U);
}

TEST(ContentHashTest, OrderOfValuesCounts) {
  EXPECT_NE(ContentHasher().add(1).add(2).value(), ContentHasher().add(2).add(1).value());
}

TEST(ContentHashTest, TheBordersBetweenTextsCount) {
  EXPECT_NE(ContentHasher().add("ab").add("c").value(), ContentHasher().add("a").add("bc").value());
}

}  // namespace
}  // namespace qanat
