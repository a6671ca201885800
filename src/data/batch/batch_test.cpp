#include "batch/batch.h"

#include <cmath>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "batch/hesitant_allocator.h"

namespace qanat {
namespace {

constexpr BatchShape kShape{.rows = 3, .frames = 7, .tokens = 5};

std::shared_ptr<BlockPool> pool_for(const BatchLayout& layout) {
  return std::make_shared<BlockPool>(layout.bytes, make_host_allocator());
}

// Counts what the pool asks for.
class CountingAllocator final : public BlockAllocator {
 public:
  explicit CountingAllocator(int& live) : live_(live) {}

  std::byte* allocate(std::size_t bytes) override {
    ++live_;
    return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kBlockAlignment}));
  }
  void release(std::byte* block, std::size_t) noexcept override {
    --live_;
    ::operator delete (block, std::align_val_t{kBlockAlignment});
  }

 private:
  int& live_;
};

TEST(BatchTest, MelBesidePcmHasAPlaceOfItsOwn) {
  const BatchLayout plain = make_layout(kShape, {.kind = PayloadKind::pcm_s16});
  const BatchLayout layout =
      make_layout(kShape, {.kind = PayloadKind::pcm_s16, .mel_beside_pcm = true});
  Batch batch(pool_for(layout), layout, {}, 0);
  std::fill(batch.pcm().begin(), batch.pcm().end(), std::int16_t{1});
  std::fill(batch.sample_lengths().begin(), batch.sample_lengths().end(), 2);
  std::fill(batch.items().begin(), batch.items().end(), 3U);
  std::fill(batch.mel().begin(), batch.mel().end(), 4.0F);

  EXPECT_EQ(batch.mel().size(), 3U * 7U * 80U);
  EXPECT_EQ(batch.mel_row(2).size(), 7U * 80U);
  EXPECT_EQ(batch.pcm().size(), 3U * 8U * 256U);
  EXPECT_EQ(batch.pcm().back(), 1);
  EXPECT_EQ(batch.sample_lengths()[2], 2);
  EXPECT_EQ(batch.items()[2], 3U);
  EXPECT_EQ(layout.items, plain.items);
  EXPECT_EQ(Batch(pool_for(plain), plain, {}, 0).mel().size(), 0U);
}

TEST(BatchTest, PartsAreAlignedAndDoNotOverlap) {
  const BatchLayout layout = make_layout(kShape, {});
  Batch batch(pool_for(layout), layout, {}, 0);
  std::fill(batch.mel().begin(), batch.mel().end(), 1.0F);
  std::fill(batch.tokens().begin(), batch.tokens().end(), 2);
  std::fill(batch.mel_lengths().begin(), batch.mel_lengths().end(), 3);
  std::fill(batch.token_lengths().begin(), batch.token_lengths().end(), 4);
  std::fill(batch.speakers().begin(), batch.speakers().end(), 5);
  std::fill(batch.items().begin(), batch.items().end(), 6U);

  EXPECT_EQ(batch.mel().size(), 3U * 7U * 80U);
  EXPECT_EQ(batch.mel().back(), 1.0F);
  EXPECT_EQ(batch.tokens().size(), 15U);
  EXPECT_EQ(batch.tokens().back(), 2);
  EXPECT_EQ(batch.mel_lengths()[2], 3);
  EXPECT_EQ(batch.token_lengths()[2], 4);
  EXPECT_EQ(batch.speakers()[2], 5);
  EXPECT_EQ(batch.items()[2], 6U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.mel().data()) % kBlockAlignment, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.tokens().data()) % kBlockAlignment, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.items().data()) % kBlockAlignment, 0U);
}

TEST(BatchTest, RowsOfMelAreFrameMajorAndAligned) {
  const BatchLayout layout = make_layout(kShape, {});
  Batch batch(pool_for(layout), layout, {}, 0);

  EXPECT_EQ(batch.mel_row(2).data(), batch.mel().data() + std::ptrdiff_t{2} * 7 * 80);
  EXPECT_EQ(batch.mel_row(2).size(), 7U * 80U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batch.mel_row(1).data()) % kBlockAlignment, 0U);
}

TEST(BatchTest, APcmRowHoldsEverySampleOfItsFrames) {
  const BatchLayout layout = make_layout(kShape, {.kind = PayloadKind::pcm_s16});
  const Batch batch(pool_for(layout), layout, {}, 0);

  // floor(n / 256) == 7 up to n = 2047
  EXPECT_GE(batch.pcm_row(0).size(), 2047U);
  EXPECT_TRUE(batch.mel().empty());
  EXPECT_EQ(batch.sample_lengths().size(), 3U);
}

TEST(BatchTest, MelHasNoSampleLengths) {
  const BatchLayout layout = make_layout(kShape, {});
  const Batch batch(pool_for(layout), layout, {}, 0);

  EXPECT_TRUE(batch.sample_lengths().empty());
  EXPECT_TRUE(batch.pcm().empty());
}

TEST(BatchTest, DestroyingABatchGivesItsBlockBack) {
  const BatchLayout layout = make_layout(kShape, {});
  const auto pool = pool_for(layout);
  std::optional<Batch> batch(std::in_place, pool, layout, BatchId{}, 0);
  const float* where = batch->mel().data();
  EXPECT_EQ(pool->stats().lent, 1);

  batch.reset();
  Batch again(pool, layout, {}, 0);

  EXPECT_EQ(again.mel().data(), where);
  EXPECT_EQ(pool->stats().blocks, 1);
}

TEST(BatchTest, MovingKeepsOneOwner) {
  const BatchLayout layout = make_layout(kShape, {});
  const auto pool = pool_for(layout);
  Batch first(pool, layout, {.epoch = 1, .index = 2}, 3);
  Batch second(pool, layout, {}, 0);

  second = std::move(first);

  EXPECT_EQ(pool->stats().lent, 1);
  EXPECT_EQ(second.id(), (BatchId{.epoch = 1, .index = 2}));
  EXPECT_EQ(second.bucket(), 3);
}

TEST(BatchTest, ABatchOutlivesItsPoolsOwner) {
  int live = 0;
  const BatchLayout layout = make_layout(kShape, {});
  {
    auto pool =
        std::make_shared<BlockPool>(layout.bytes, std::make_unique<CountingAllocator>(live));
    Batch batch(pool, layout, {}, 0);
    pool.reset();
    batch.mel()[0] = 1.0F;
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

TEST(BlockPoolTest, AllocatesOnlyWhatIsOutAtOnce) {
  int live = 0;
  const auto pool = std::make_shared<BlockPool>(4096, std::make_unique<CountingAllocator>(live));
  std::byte* a = pool->borrow();
  std::byte* b = pool->borrow();
  pool->give_back(a);
  pool->give_back(b);

  EXPECT_EQ(pool->borrow(), b);  // the one given back last: its pages are still in the cache
  EXPECT_EQ(pool->borrow(), a);
  EXPECT_EQ(live, 2);
  EXPECT_EQ(pool->stats().most_lent, 2);
  pool->give_back(a);
  pool->give_back(b);
}

TEST(BlockPoolTest, LendsWhatIsThereWhileAnotherIsBeingMade) {
  Hesitation hesitation;
  const auto pool =
      std::make_shared<BlockPool>(4096, std::make_unique<HesitantAllocator>(hesitation));
  pool->add_block();
  std::jthread maker([&] { pool->add_block(); });
  hesitation.asked.wait();

  std::byte* block = pool->borrow();
  pool->give_back(block);

  EXPECT_EQ(pool->borrow(), block);
  EXPECT_EQ(pool->stats().blocks, 1);
  hesitation.allowed.count_down();
  maker.join();
  EXPECT_EQ(pool->stats().blocks, 2);
  EXPECT_EQ(pool->stats().lent, 1);
  pool->give_back(block);
}

TEST(BlockPoolTest, TrimFreesOnlyWhatIsNotOut) {
  int live = 0;
  const auto pool = std::make_shared<BlockPool>(4096, std::make_unique<CountingAllocator>(live));
  std::byte* a = pool->borrow();
  std::byte* b = pool->borrow();
  pool->give_back(a);

  pool->trim(0);

  EXPECT_EQ(live, 1);
  pool->give_back(b);
}

TEST(BatchLayoutTest, PadsMelWithTheLogOfTheFloor) {
  EXPECT_NEAR(PayloadFormat{}.mel_padding, -11.512925F, 1e-6);
}

}  // namespace
}  // namespace qanat
