#include "features/content_hash.h"

#include <string_view>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(ContentHashTest, IsXxh3) {
  // The value every XXH3 implementation gives for no bytes and seed 0.
  EXPECT_EQ(content_checksum({}), 0x2D06800538D394C2U);
}

TEST(ContentHashTest, OrderOfValuesCounts) {
  EXPECT_NE(ContentHasher().add(1).add(2).value(), ContentHasher().add(2).add(1).value());
}

TEST(ContentHashTest, TheBordersBetweenTextsCount) {
  EXPECT_NE(ContentHasher().add("ab").add("c").value(), ContentHasher().add("a").add("bc").value());
}

TEST(ContentHashTest, TheLanguageIsPartOfAText) {
  EXPECT_NE(text_hash("2024", Language::en), text_hash("2024", Language::fa));
  EXPECT_EQ(text_hash("2024", Language::en), text_hash("2024", Language::en));
}

}  // namespace
}  // namespace qanat
