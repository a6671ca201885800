#include "metrics/event_fan.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

class FullDisk : public EventSink {
 public:
  void record(const Event& /*event*/) override { throw Error("no space left"); }
};

TEST(EventFanTest, EverySinkHearsEveryEventInOrder) {
  EventList first;
  EventList second;
  EventFan fan;
  fan.add(first);
  fan.add(second);

  fan.record({.kind = "one", .fields = {{"n", 1}}});
  fan.record({.kind = "two"});

  ASSERT_EQ(first.events().size(), 2u);
  ASSERT_EQ(second.events().size(), 2u);
  EXPECT_EQ(second.events()[0].fields.at("n"), 1);
  EXPECT_EQ(second.events()[1].kind, "two");
}

TEST(EventFanTest, ASinkThatFailsKeepsTheEventFromNobodyAndIsHeardOf) {
  FullDisk full;
  EventList list;
  EventFan fan;
  fan.add(full);
  fan.add(list);

  EXPECT_THROW(fan.record({.kind = "step"}), Error);

  EXPECT_EQ(list.events().size(), 1u);
}

}  // namespace
}  // namespace qanat
