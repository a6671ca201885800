#include "pipeline/cached_row_source.h"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "pipeline/fake_rows.h"

namespace qanat {
namespace {

// One worker where rows that were made are counted: two may make the same one at the same time, for
// the end of one epoch and the beginning of the next.
LoaderOptions options_of(std::int64_t epochs, int workers = 1) {
  return {.batching = {.batch_size = 8, .max_edges = 4},
          .seed = 3,
          .epochs = epochs,
          .workers = workers,
          .window = 4};
}

LoaderInputs cached_inputs(FakeRows rows, Bytes budget) {
  LoaderInputs inputs = fake_inputs(std::move(rows));
  inputs.source = std::make_unique<CachedRowSource>(
      std::move(inputs.source), inputs.lengths.size(), PayloadFormat{}, budget);
  return inputs;
}

FakeRows counting_rows(std::atomic<int>& made) {
  return {.lengths = short_lengths(100), .before_fill = [&made](std::uint32_t) { ++made; }};
}

TEST(CachedRowSourceTest, EpochsFromMemoryAreBitIdentical) {
  std::atomic<int> made{0};
  Loader plain(fake_inputs(counting_rows(made)), options_of(3));
  Loader cached(cached_inputs(counting_rows(made), mebibytes(64)), options_of(3, 3));

  EXPECT_EQ(digests(cached), digests(plain));
}

TEST(CachedRowSourceTest, LaterEpochsMakeNothingAgain) {
  std::atomic<int> made{0};
  Loader loader(cached_inputs(counting_rows(made), mebibytes(64)), options_of(4));

  digests(loader);

  EXPECT_EQ(made, 100);
  EXPECT_EQ(loader.stats().from_audio, 100);
  EXPECT_EQ(loader.stats().from_cache, 300);
}

TEST(CachedRowSourceTest, WhatFitsIsKeptForGood) {
  std::vector<std::atomic<int>> made(100);
  const FakeRows rows{.lengths = short_lengths(100),
                      .before_fill = [&made](std::uint32_t item) { ++made[item]; }};
  const Bytes budget{300'000};  // about half of the set
  Loader loader(cached_inputs(rows, budget), options_of(5));

  digests(loader);

  // Made once and kept, or made in every epoch because there was no room. The last corner of the
  // budget may be filled by a small item of the second epoch. Evicted and made again would be more.
  const auto with_count = [&made](int count) {
    return std::ranges::count_if(made, [count](const auto& times) { return times == count; });
  };
  EXPECT_GT(with_count(1), 20);
  EXPECT_GT(with_count(5), 20);
  EXPECT_LE(with_count(2), 3);
  EXPECT_EQ(with_count(1) + with_count(2) + with_count(5), 100);
}

TEST(CachedRowSourceTest, WithoutABudgetEverythingIsMadeAgain) {
  std::atomic<int> made{0};
  Loader loader(cached_inputs(counting_rows(made), Bytes{0}), options_of(2));

  digests(loader);

  EXPECT_EQ(made, 200);
}

TEST(CachedRowSourceTest, AnItemThatOutgrewItsRowIsAFailureOfThatItem) {
  FakeRows rows{.lengths = {{.frames = 10, .tokens = 4}}};
  const CachedRowSource source(
      std::make_unique<FakeRowSource>(rows), 1, PayloadFormat{}, mebibytes(1));
  std::vector<float> mel(std::size_t{10} * 80);
  std::vector<std::int32_t> tokens(4);
  const auto filler = source.make_filler();
  ASSERT_TRUE(filler->fill(0, {.mel = mel, .pcm = {}, .tokens = tokens}));

  const auto short_row = std::span(mel).first(std::size_t{9} * 80);
  const Result<FilledRow> again = filler->fill(0, {.mel = short_row, .pcm = {}, .tokens = tokens});

  ASSERT_FALSE(again);
  EXPECT_NE(again.failure().what.find("10 frames"), std::string::npos);
}

}  // namespace
}  // namespace qanat
