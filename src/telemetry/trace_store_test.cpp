#include "telemetry/trace_store.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::string all_of(const TraceStore& store) {
  const TraceStore::Contents contents = store.contents();
  std::string all(contents.head);
  for (const std::string_view chunk : contents.tail) {
    all += chunk;
  }
  return all;
}

TEST(TraceStoreTest, KeepsEverythingThatFits) {
  TraceStore store(Bytes{1000});

  store.add("one ");
  store.add("two");

  EXPECT_EQ(all_of(store), "one two");
  EXPECT_EQ(store.left_out(), 0);
}

TEST(TraceStoreTest, OfALongRunTheBeginningAndTheEndAreKeptWithinTheBudget) {
  TraceStore store(Bytes{10'000});
  for (int i = 0; i < 10'000; ++i) {
    store.add(std::to_string(10'000 + i) + "\n");
  }

  const std::string all = all_of(store);
  EXPECT_LE(store.size().value, 10'000);
  EXPECT_GT(store.size().value, 9'000);
  EXPECT_TRUE(all.starts_with("10000\n10001\n"));
  EXPECT_TRUE(all.ends_with("19998\n19999\n"));
  EXPECT_EQ(store.left_out(), 10'000 - store.size().value / 6);
}

TEST(TraceStoreTest, RecordsThatBelongTogetherAreKeptOrLeftOutTogether) {
  TraceStore store(Bytes{4'000});
  for (int i = 0; i < 1'000; ++i) {
    store.add("[begin end]");
  }

  EXPECT_EQ(all_of(store).size() % 11, 0u);
}

}  // namespace
}  // namespace qanat
