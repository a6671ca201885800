#include "replicas/store_gather.h"

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/version.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Counts what a connection to c10d's TCPStore would send: reading waits first, in a request of its
// own.
class CountedStore : public c10d::PrefixStore {
 public:
  explicit CountedStore(StorePointer store) : PrefixStore("run", std::move(store)) {}

  void set(const std::string& key, const std::vector<std::uint8_t>& value) override {
    ++requests;
    PrefixStore::set(key, value);
  }
  std::vector<std::uint8_t> get(const std::string& key) override {
    requests += 2;
    return PrefixStore::get(key);
  }
  bool deleteKey(const std::string& key) override {
    ++requests;
    return PrefixStore::deleteKey(key);
  }
  bool check(const std::vector<std::string>& keys) override {
    ++requests;
    return PrefixStore::check(keys);
  }
  void wait(const std::vector<std::string>& keys) override {
    ++requests;
    PrefixStore::wait(keys);
  }
#if TORCH_VERSION_MAJOR >= 2
  std::vector<std::vector<std::uint8_t>> multiGet(const std::vector<std::string>& keys) override {
    requests += 2;
    return PrefixStore::multiGet(keys);
  }
#endif

  std::atomic<int> requests = 0;
};

class StoreGatherTest : public testing::Test {
 protected:
  using Counted = c10::intrusive_ptr<CountedStore>;
  Counted connection() { return c10::make_intrusive<CountedStore>(store_); }
  static StoreGather gather(const Counted& store, int rank, int world) {
    return StoreGather([store] { return store; }, {.rank = rank, .world = world});
  }

  const c10::intrusive_ptr<c10d::HashStore> store_ = c10::make_intrusive<c10d::HashStore>();
};

std::vector<std::string> heard(StoreGather& gather, const std::string& own) {
  gather.begin(own);
  while (true) {
    if (const auto texts = gather.hear()) {
      return *texts;
    }
  }
}

// Rank 0 of an older libtorch reads the texts one by one.
int most_of_a_round(int rank, int world) {
  return TORCH_VERSION_MAJOR >= 2 || rank != 0 ? 4 : 3 + 2 * (world - 1);
}

TEST_F(StoreGatherTest, ARoundCostsAFewRequestsAndAnyNumberOfProcesses) {
  constexpr int kWorld = 16;
  constexpr int kRounds = 50;
  std::vector<Counted> connections;
  for (int rank = 0; rank < kWorld; ++rank) {
    connections.push_back(connection());
  }
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < kWorld; ++rank) {
      threads.emplace_back([&, rank] {
        StoreGather own = gather(connections[static_cast<std::size_t>(rank)], rank, kWorld);
        for (int round = 0; round < kRounds; ++round) {
          const std::vector<std::string> texts = heard(own, std::string(round, 'x') + ":");
          EXPECT_EQ(texts, std::vector(kWorld, std::string(round, 'x') + ":"));
        }
      });
    }
  }

  for (int rank = 0; rank < kWorld; ++rank) {
    EXPECT_LE(connections[static_cast<std::size_t>(rank)]->requests,
              kRounds * most_of_a_round(rank, kWorld))
        << "rank " << rank;
  }
  EXPECT_LE(store_->getNumKeys(), 2 * kWorld);  // the last two rounds
}

// However late rank 0 is: one to say it, two to hear the answer.
TEST_F(StoreGatherTest, WaitingMakesNoRequests) {
  const Counted connected = connection();
  std::jthread waiting([&] {
    StoreGather second = gather(connected, 1, 2);
    EXPECT_THAT(heard(second, "two"), ElementsAre("one", "two"));
  });
  connection()->wait({"said/1/1"});
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // rank 0 computes

  StoreGather first = gather(connection(), 0, 2);
  EXPECT_THAT(heard(first, "one"), ElementsAre("one", "two"));
  waiting.join();

  EXPECT_EQ(connected->requests, 3);
}

TEST_F(StoreGatherTest, ATextThatDoesNotComeInTimeIsAskedForAgainOverAnotherConnection) {
  store_->setTimeout(std::chrono::milliseconds(500));
  int connections = 0;
  StoreGather second(
      [&] {
        ++connections;
        return connection();
      },
      {.rank = 1, .world = 2});
  second.begin("two");

  EXPECT_EQ(second.hear(), std::nullopt);
  StoreGather first = gather(connection(), 0, 2);
  heard(first, "one");

  EXPECT_THAT(second.hear(), testing::Optional(ElementsAre("one", "two")));
  EXPECT_EQ(connections, 2);
}

TEST_F(StoreGatherTest, AFailureIsNotTakenForSomebodyBeingLate) {
  StoreGather second([]() -> StorePointer { throw std::runtime_error("connection refused"); },
                     {.rank = 1, .world = 2});
  second.begin("two");

  EXPECT_THAT([&] { second.hear(); },
              ThrowsMessage<std::exception>(HasSubstr("connection refused")));
}

TEST_F(StoreGatherTest, RankZeroPartsWhenAllHaveComeAndNobodyWaitsForIt) {
  StoreGather first = gather(connection(), 0, 2);
  StoreGather second = gather(connection(), 1, 2);
  second.begin("");
  first.begin("");

  EXPECT_TRUE(second.part());
  EXPECT_TRUE(first.part());
  second.begin("two");  // a round after it works as any other
  std::jthread other([&] { heard(first, "one"); });
  EXPECT_THAT(second.hear(), testing::Optional(ElementsAre("one", "two")));
}

TEST_F(StoreGatherTest, TextsOfRankZeroAreHeardInTheirOrder) {
  StoreGather first = gather(connection(), 0, 2);
  StoreGather second = gather(connection(), 1, 2);

  EXPECT_TRUE(first.share("plan"));
  EXPECT_TRUE(first.share(""));

  EXPECT_EQ(second.shared(), "plan");
  EXPECT_EQ(second.shared(), "");
}

// What others wrote there is not what was said.
TEST_F(StoreGatherTest, AnAnswerThatIsNoneEndsTheRound) {
  for (const std::string text :
       {"", "3:ab", "x", "1:a", "1:a99999999999999999999:b", "2:ab1:c1:d"}) {
    const Counted connected = connection();
    connected->set("all/1", {text.begin(), text.end()});
    StoreGather second = gather(connected, 1, 2);
    second.begin("two");

    EXPECT_ANY_THROW(second.hear()) << text;
  }
}

}  // namespace
}  // namespace qanat
