#include "store/cached_object.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/thread.h"
#include "store/store_testing.h"

namespace qanat {
namespace {

constexpr std::int64_t kObjectSize = 5 * kStoreBlock + 1234;

std::string object_bytes() {
  std::string bytes(kObjectSize, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(i * 131 + i / 4093);
  }
  return bytes;
}

class CachedObjectTest : public ::testing::Test {
 protected:
  std::shared_ptr<BlockCache> cache(Bytes budget = mebibytes(64)) const {
    return std::make_shared<BlockCache>(BlockCacheOptions{
        .folder = folder_.path() / "blocks", .budget = budget, .spare = Bytes{0}});
  }
  std::shared_ptr<const CachedObject> open(const std::shared_ptr<BlockCache>& cache) const {
    return std::make_shared<const CachedObject>(
        StoredObject::open(std::make_shared<Store>(StoreOptions{.first_pause = Seconds(0.001)}),
                           server_.url("/x")),
        cache);
  }
  // Whether it is what the object has there.
  bool is_right(const CachedObject& object, std::int64_t offset, std::int64_t size) const {
    std::string bytes(static_cast<std::size_t>(size), '?');
    return object.read(Bytes{offset}, std::as_writable_bytes(std::span(bytes))).ok() &&
           bytes == bytes_.substr(static_cast<std::size_t>(offset), bytes.size());
  }

  const TemporaryFolder folder_;
  const std::string bytes_ = object_bytes();
  TestServer server_{[this](const TestAsk& ask) { return range_answer(ask, bytes_); }};
};

TEST_F(CachedObjectTest, FetchesABlockOnce) {
  const auto object = open(cache());

  EXPECT_TRUE(is_right(*object, 100, 1000));
  const int asked = server_.asked();
  EXPECT_TRUE(is_right(*object, 5000, 100'000));
  EXPECT_TRUE(is_right(*object, 0, kStoreBlock));

  EXPECT_EQ(server_.asked(), asked);
}

TEST_F(CachedObjectTest, FetchesNeighboursTogether) {
  const auto object = open(cache());
  const int asked = server_.asked();

  EXPECT_TRUE(is_right(*object, 10, kObjectSize - 20));

  EXPECT_EQ(server_.asked(), asked + 1);
}

TEST_F(CachedObjectTest, FetchesNothingInASecondProcess) {
  EXPECT_TRUE(is_right(*open(cache()), 0, kObjectSize));
  const auto second = open(cache());
  const std::int64_t sent = server_.sent();

  EXPECT_TRUE(is_right(*second, 0, kObjectSize));
  EXPECT_TRUE(is_right(*second, kObjectSize - 10, 10));

  EXPECT_EQ(server_.sent(), sent);
}

TEST_F(CachedObjectTest, FetchesAroundWhatItHas) {
  const auto object = open(cache());
  EXPECT_TRUE(is_right(*object, 2 * kStoreBlock + 5, 10));
  const std::int64_t sent = server_.sent();

  EXPECT_TRUE(is_right(*object, 0, kObjectSize));

  EXPECT_EQ(server_.sent() - sent, kObjectSize - kStoreBlock);
}

TEST_F(CachedObjectTest, FetchesExactlyWhereThereIsNoRoom) {
  const auto object = open(cache(Bytes{1000}));
  const std::int64_t sent = server_.sent();

  EXPECT_TRUE(is_right(*object, kStoreBlock - 500, 1000));

  EXPECT_EQ(server_.sent() - sent, 1000);
}

TEST_F(CachedObjectTest, FetchesWhatIsDamagedAgain) {
  EXPECT_TRUE(is_right(*open(cache()), 0, 10));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
    if (entry.path().extension() == ".block") {
      std::filesystem::resize_file(entry.path(), 77);
    }
  }

  EXPECT_TRUE(is_right(*open(cache()), 0, 10));
}

TEST_F(CachedObjectTest, ManyThreadsFetchABlockOnce) {
  const auto object = open(cache());
  const std::int64_t sent = server_.sent();
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> readers;
    for (int reader = 0; reader < 8; ++reader) {
      readers.push_back(start_thread("reader", [&, reader](const std::stop_token&) {
        for (std::int64_t at = reader * 10; at + 70'000 < kObjectSize; at += 70'000) {
          right += is_right(*object, at, 70'000) ? 1 : 0;
        }
      }));
    }
  }

  EXPECT_EQ(right, 8 * ((kObjectSize - 1) / 70'000));
  EXPECT_EQ(server_.sent() - sent, 5 * kStoreBlock);  // nobody read the last one
}

TEST_F(CachedObjectTest, RefusesWhatLiesOutside) {
  const auto object = open(cache());
  std::array<std::byte, 10> room{};

  EXPECT_FALSE(object->read(Bytes{kObjectSize - 9}, room).ok());
  EXPECT_FALSE(object->read(Bytes{-1}, room).ok());
}

}  // namespace
}  // namespace qanat
