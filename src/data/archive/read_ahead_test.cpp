#include "archive/read_ahead.h"

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/thread.h"

namespace qanat {
namespace {

// A clip is one byte: its row. Opening it takes as long as a test wants.
class SlowContainer final : public ClipContainer {
 public:
  explicit SlowContainer(std::function<void(std::uint32_t row)> on_open)
      : on_open_(std::move(on_open)) {}

  Result<StoredClip> open(const ClipPlace& place) const override {
    on_open_(place.row);
    auto bytes = std::make_shared<const std::vector<std::byte>>(1, std::byte(place.row & 0xFFU));
    return StoredClip{.size = Bytes{1}, .memory = *bytes, .page = bytes};
  }
  Result<FileIdentity> identity(const ClipPlace&) const override { return FileIdentity{}; }

 private:
  const std::function<void(std::uint32_t row)> on_open_;
};

ClipContainers one_container(std::function<void(std::uint32_t row)> on_open) {
  ClipContainers containers;
  containers.push_back(std::make_unique<const SlowContainer>(std::move(on_open)));
  return containers;
}

ClipPlace place_of(std::uint32_t row, std::int64_t size = 1000) {
  return {.container = 1, .row = row, .size = Bytes{size}};
}

std::vector<ClipPlace> places(std::uint32_t count, std::int64_t size = 1000) {
  std::vector<ClipPlace> all;
  for (std::uint32_t row = 0; row < count; ++row) {
    all.push_back(place_of(row, size));
  }
  return all;
}

int opened_row(ReadAhead& ahead, std::uint32_t row, std::int64_t size = 1000) {
  const Result<StoredClip> clip = ahead.open(place_of(row, size));
  return clip ? std::to_integer<int>(clip.value().memory.front()) : -1;
}

void wait_until(const std::function<bool()>& holds) {
  while (!holds()) {
    std::this_thread::yield();
  }
}

TEST(ReadAheadTest, GivesEveryClip) {
  std::atomic<int> opened = 0;
  ReadAhead ahead(one_container([&](std::uint32_t) { ++opened; }));
  const auto list = ahead.make_list();
  list->append(places(200));

  for (std::uint32_t row = 0; row < 200; ++row) {
    ASSERT_EQ(opened_row(ahead, row), static_cast<int>(row));
  }

  EXPECT_EQ(opened, 200);
}

TEST(ReadAheadTest, HasAsManyRequestsUnderWayAsItMay) {
  std::latch all_there(8);
  ReadAhead ahead(one_container([&](std::uint32_t) { all_there.arrive_and_wait(); }),
                  {.requests = 8});
  const auto list = ahead.make_list();
  list->append(places(8));

  all_there.wait();  // nobody asked for any of them

  EXPECT_EQ(opened_row(ahead, 7), 7);
}

TEST(ReadAheadTest, StaysWithinItsBudget) {
  std::atomic<int> opened = 0;
  ReadAhead ahead(one_container([&](std::uint32_t) { ++opened; }),
                  {.requests = 4, .budget = Bytes{5000}});
  const auto list = ahead.make_list();
  list->append(places(100));
  wait_until([&] { return opened == 5; });

  EXPECT_EQ(opened_row(ahead, 0), 0);
  wait_until([&] { return opened == 6; });

  for (std::uint32_t row = 1; row < 100; ++row) {
    ASSERT_EQ(opened_row(ahead, row), static_cast<int>(row));
  }
  EXPECT_EQ(opened, 100);
}

TEST(ReadAheadTest, FetchesAClipThatIsLargerThanTheBudget) {
  ReadAhead ahead(one_container([](std::uint32_t) {}), {.budget = Bytes{10}});
  const auto list = ahead.make_list();
  list->append(places(3, 1 << 20));

  EXPECT_EQ(opened_row(ahead, 0, 1 << 20), 0);
  EXPECT_EQ(opened_row(ahead, 1, 1 << 20), 1);
}

TEST(ReadAheadTest, OpensWhatNobodyNamed) {
  ReadAhead ahead(one_container([](std::uint32_t) {}));

  EXPECT_EQ(opened_row(ahead, 42), 42);
}

TEST(ReadAheadTest, HandsAnErrorToWhoOpensTheClip) {
  ReadAhead ahead(one_container([](std::uint32_t row) {
    if (row == 3) {
      throw std::runtime_error("gone");
    }
  }));
  const auto list = ahead.make_list();
  list->append(places(6));

  EXPECT_EQ(opened_row(ahead, 2), 2);
  EXPECT_THROW(opened_row(ahead, 3), std::runtime_error);
  EXPECT_EQ(opened_row(ahead, 4), 4);
}

TEST(ReadAheadTest, ForgetsWithItsList) {
  std::atomic<int> opened = 0;
  ReadAhead ahead(one_container([&](std::uint32_t) { ++opened; }), {.budget = Bytes{3000}});
  {
    const auto list = ahead.make_list();
    list->append(places(50));
    wait_until([&] { return opened == 3; });
  }
  const auto other = ahead.make_list();
  other->append({place_of(90), place_of(91), place_of(92)});

  wait_until([&] { return opened == 6; });
  EXPECT_EQ(opened_row(ahead, 91), 91);
  EXPECT_EQ(opened, 6)
      << "what the new list names was fetched, and the rest of the old one was not";
}

TEST(ReadAheadTest, GoesOnWhenClipsAreNotWanted) {
  ReadAhead ahead(one_container([](std::uint32_t) {}), {.requests = 2, .budget = Bytes{20'000}});
  const auto list = ahead.make_list();
  list->append(places(5000));

  for (std::uint32_t row = 0; row < 5000; row += 3) {
    ASSERT_EQ(opened_row(ahead, row), static_cast<int>(row & 0xFFU));
  }
}

TEST(ReadAheadTest, ManyThreadsGetTheirs) {
  ReadAhead ahead(one_container([](std::uint32_t) {}), {.budget = Bytes{50'000}});
  const auto list = ahead.make_list();
  list->append(places(2000));
  std::atomic<std::uint32_t> next = 0;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> workers;
    for (int worker = 0; worker < 4; ++worker) {
      workers.push_back(start_thread("worker", [&](const std::stop_token&) {
        for (std::uint32_t row = next++; row < 2000; row = next++) {
          right += opened_row(ahead, row) == static_cast<int>(row & 0xFFU) ? 1 : 0;
        }
      }));
    }
  }

  EXPECT_EQ(right, 2000);
}

TEST(ReadAheadTest, EndsWhileClipsWait) {
  std::atomic<int> opened = 0;
  auto ahead = std::make_unique<ReadAhead>(one_container([&](std::uint32_t) { ++opened; }),
                                           ReadAheadOptions{.budget = Bytes{3000}});
  {
    const auto list = ahead->make_list();
    list->append(places(100));
    wait_until([&] { return opened == 3; });
  }
  ahead.reset();

  EXPECT_EQ(opened, 3);
}

}  // namespace
}  // namespace qanat
