#include "export/proto_message.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string all;
  for (const int value : values) {
    all += static_cast<char>(value);
  }
  return all;
}

TEST(ProtoMessageTest, WritesNumbersAsVarints) {
  ProtoMessage small;
  small.number(1, 5);
  ProtoMessage large;
  large.number(20, 300);
  ProtoMessage negative;
  negative.number(1, -1);

  EXPECT_EQ(small.joined(), bytes({0x08, 5}));
  EXPECT_EQ(large.joined(), bytes({0xA0, 0x01, 0xAC, 0x02}));
  EXPECT_EQ(negative.joined(),
            bytes({0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}));
}

TEST(ProtoMessageTest, WritesRealNumbersInFourBytes) {
  ProtoMessage writer;
  writer.real(2, 1.5F);

  EXPECT_EQ(writer.joined(), bytes({0x15, 0, 0, 0xC0, 0x3F}));
}

TEST(ProtoMessageTest, WritesMessagesWithTheirLength) {
  ProtoMessage inner;
  inner.text(2, "ab");
  ProtoMessage outer;
  outer.message(7, std::move(inner));
  outer.number(1, 0);

  EXPECT_EQ(outer.joined(), bytes({0x3A, 4, 0x12, 2, 'a', 'b', 0x08, 0}));
}

TEST(ProtoMessageTest, KeepsTheOrderOfLargeBlocksAndWhatIsAroundThem) {
  const std::string large(100'000, 'x');
  ProtoMessage inner;
  inner.number(1, 1);
  inner.block(9, large);
  inner.text(8, "end");
  ProtoMessage outer;
  outer.text(1, "begin");
  outer.message(2, std::move(inner));
  outer.text(3, "behind");

  const std::string all = outer.joined();
  EXPECT_EQ(all.size(), outer.size());
  EXPECT_TRUE(all.starts_with(bytes({0x0A, 5}) + "begin" + bytes({0x12})));
  EXPECT_TRUE(all.ends_with("x" + bytes({0x42, 3}) + "end" + bytes({0x1A, 6}) + "behind"));
  EXPECT_NE(all.find(large), std::string::npos);
}

}  // namespace
}  // namespace qanat
