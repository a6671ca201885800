#include "replicas/thread_group.h"

#include <thread>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(ThreadGroupTest, SumsBroadcastsGathersAndShares) {
  const auto groups = make_thread_groups({.world = 2, .max_delay = Seconds(0.001)});
  const auto work = [&](int rank) {
    ProcessGroup& group = *groups[static_cast<std::size_t>(rank)];
    torch::Tensor values = torch::full({3}, static_cast<float>(rank + 1));
    torch::Tensor more = torch::full({2}, 10.0F);
    const auto first = group.start_all_reduce(values, ExchangeFormat::f32);
    const auto second = group.start_all_reduce(more, ExchangeFormat::f32);
    second->wait();
    first->wait();
    EXPECT_TRUE(torch::equal(values, torch::full({3}, 3.0F)));
    EXPECT_TRUE(torch::equal(more, torch::full({2}, 20.0F)));
    torch::Tensor from_first = torch::full({1}, static_cast<float>(rank));
    group.broadcast(from_first);
    EXPECT_EQ(from_first.item<float>(), 0.0F);
    const double mine = rank * 2.0;
    EXPECT_EQ(group.all_gather({&mine, 1}), (std::vector<double>{0, 2}));
    EXPECT_EQ(group.share(rank == 0 ? "plan" : "another"), "plan");
    group.barrier();
  };

  std::jthread other(work, 1);
  work(0);
}

TEST(ThreadGroupTest, OneThatDoesNotComeIsNamed) {
  const auto groups = make_thread_groups({.world = 2, .timeout = Seconds(0.05)});

  EXPECT_THROW(groups[0]->barrier(), ReplicaLost);
}

TEST(ThreadGroupTest, OneThatFailsReleasesThoseWhoWait) {
  const auto groups = make_thread_groups({.world = 2});
  std::jthread other([&] { groups[1]->fail("no memory"); });

  EXPECT_THROW(groups[0]->barrier(), ReplicaLost);
}

TEST(SingleProcessTest, IsAGroupThatChangesNothing) {
  SingleProcess group;
  torch::Tensor values = torch::ones({3});

  group.start_all_reduce(values, ExchangeFormat::f32)->wait();
  group.broadcast(values);
  group.barrier();

  EXPECT_TRUE(torch::equal(values, torch::ones({3})));
  EXPECT_EQ(group.rank(), ProcessRank{});
  EXPECT_EQ(group.share("text"), "text");
}

}  // namespace
}  // namespace qanat
