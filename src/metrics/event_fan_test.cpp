#include "metrics/event_fan.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

class FullDisk : public EventSink {
 public:
  void record(const JournalEvent& /*event*/) override { throw Error("no space left"); }
};

TEST(EventFanTest, EverySinkHearsEveryEventInOrder) {
  EventList first;
  EventList second;
  EventFan fan;
  fan.add(first);
  fan.add(second);

  fan.record(Resumed{.step = 1});
  fan.record(RunEnd{});

  ASSERT_EQ(first.events().size(), 2u);
  ASSERT_EQ(second.events().size(), 2u);
  EXPECT_EQ(std::get<Resumed>(second.events()[0]).step, 1);
  EXPECT_TRUE(std::holds_alternative<RunEnd>(second.events()[1]));
}

TEST(EventFanTest, ASinkThatFailsKeepsTheEventFromNobodyAndIsHeardOf) {
  FullDisk full;
  EventList list;
  EventFan fan;
  fan.add(full);
  fan.add(list);

  EXPECT_THROW(fan.record(StepRecord{}), Error);

  EXPECT_EQ(list.events().size(), 1u);
}

}  // namespace
}  // namespace qanat
