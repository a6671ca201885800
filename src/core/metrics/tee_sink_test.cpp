#include "metrics/tee_sink.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "metrics/journal_testing.h"

namespace qanat {
namespace {

class FullDisk : public EventSink {
 public:
  void record(const JournalEvent& /*event*/) override { throw Error("no space left"); }
};

TEST(TeeSinkTest, EverySinkHearsEveryEventInOrder) {
  EventList first;
  EventList second;
  TeeSink tee;
  tee.add(first);
  tee.add(second);

  tee.record(Resumed{.step = 1});
  tee.record(RunEnd{});

  ASSERT_EQ(first.events().size(), 2u);
  ASSERT_EQ(second.events().size(), 2u);
  EXPECT_EQ(std::get<Resumed>(second.events()[0]).step, 1);
  EXPECT_TRUE(std::holds_alternative<RunEnd>(second.events()[1]));
}

TEST(TeeSinkTest, ASinkThatFailsKeepsTheEventFromNobodyAndIsHeardOf) {
  FullDisk full;
  EventList list;
  TeeSink tee;
  tee.add(full);
  tee.add(list);

  EXPECT_THROW(tee.record(StepRecord{}), Error);

  EXPECT_EQ(list.events().size(), 1u);
}

}  // namespace
}  // namespace qanat
