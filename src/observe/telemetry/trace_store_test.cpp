#include "telemetry/trace_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

std::string all_of(const TraceStore& store) {
  const TraceStore::Contents contents = store.contents();
  std::string all(contents.head);
  for (const std::string_view kept : contents.middle) {
    all += kept;
  }
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

TEST(TraceStoreTest, GroupsThatMatterMostAreKeptOutOfTheMiddle) {
  TraceStore store(Bytes{10'000});
  for (TraceStore::Group i = 1; i <= 5'000; ++i) {
    store.add(fmt::format("a{} ", i), i);
    store.add(fmt::format("b{} ", i), i);
    store.rate(i, i % 200 == 0 ? 10.0 + static_cast<double>(i) : 1.0);
  }

  const std::string all = all_of(store);
  EXPECT_LE(store.size().value, 10'000);
  // The twenty highest rated are 1200, 1400, ... 5000.
  EXPECT_NE(all.find("a1200 b1200 a1400 b1400 "), std::string::npos) << all;
  EXPECT_EQ(all.find("a1000 "), std::string::npos) << "displaced by those that came later";
  EXPECT_EQ(all.find("a1201 "), std::string::npos);
}

TEST(TraceStoreTest, WhatIsLeftOutIsCountedOnce) {
  TraceStore store(Bytes{10'000});
  for (TraceStore::Group i = 1; i <= 5'000; ++i) {
    store.add("12345678 ", i);
    store.rate(i, static_cast<double>(i));
  }

  EXPECT_EQ(store.left_out(), 5'000 - store.size().value / 9);
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
