#include "replicas/join_group.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/children.h"
#include "replicas/backend.h"
#include "replicas/store_texts.h"

namespace qanat {
namespace {

using testing::HasSubstr;

// A group of c10d whose members are threads of this process: each has its own connections.
class JoinGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gloo()) {
      GTEST_SKIP() << "this build has no Gloo";
    }
  }

  JoinOptions options(int rank, int world) const {
    return {.place = {.rank = rank,
                      .world = world,
                      .local_rank = rank,
                      .local_world = world,
                      .address = "127.0.0.1",
                      .port = port_},
            .timeout = timeout_,
            .start_timeout = Seconds(30),
            .talk_over_store = talk_over_store_};
  }

  void run(int world, const std::function<void(ProcessGroup&)>& work) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < world; ++rank) {
      threads.emplace_back([&, rank] {
        const std::unique_ptr<ProcessGroup> group = join_group(options(rank, world));
        work(*group);
        group->barrier();
      });
    }
  }

  const int port_ = free_port();
  bool talk_over_store_ = false;
  Seconds timeout_{2};
};

TEST_F(JoinGroupTest, SumsAreTheSameOnEveryRank) {
  run(3, [](ProcessGroup& group) {
    const auto rank = static_cast<float>(group.rank().rank);
    torch::Tensor values = torch::arange(1000, torch::kF32) + rank;
    torch::Tensor more = torch::full({5}, rank);

    const auto first = group.start_all_reduce(values, ExchangeFormat::f32);
    const auto second = group.start_all_reduce(more, ExchangeFormat::f32);
    first->wait();
    second->wait();

    EXPECT_TRUE(torch::equal(values, 3 * torch::arange(1000, torch::kF32) + 3));
    EXPECT_TRUE(torch::equal(more, torch::full({5}, 3.0F)));
    EXPECT_TRUE(first->took());
  });
}

// A bf16 keeps 8 bits: what is sent and the sum are rounded once each.
TEST_F(JoinGroupTest, SumsInBf16AreCloseAndTheSameOnEveryRank) {
  std::mutex mutex;
  std::vector<torch::Tensor> sums;
  run(2, [&](ProcessGroup& group) {
    torch::Tensor values = torch::linspace(-1, 1, 1001) * (1 + group.rank().rank);

    group.start_all_reduce(values, ExchangeFormat::bf16)->wait();

    const std::lock_guard lock(mutex);
    sums.push_back(values);
  });

  EXPECT_TRUE(torch::equal(sums[0], sums[1]));
  const torch::Tensor error = (sums[0] - 3 * torch::linspace(-1, 1, 1001)).abs();
  EXPECT_LT(error.max().item<double>(), 3 * 2.0 / 256);
  EXPECT_GT(error.max().item<double>(), 0);
}

TEST_F(JoinGroupTest, BroadcastsGathersAndShares) {
  run(2, [](ProcessGroup& group) {
    const int rank = group.rank().rank;
    torch::Tensor weights = torch::full({4}, static_cast<float>(rank));
    group.broadcast(weights);
    EXPECT_TRUE(torch::equal(weights, torch::zeros({4})));

    const std::vector<double> mine = {rank + 1.0, 5};
    EXPECT_EQ(group.all_gather(mine), (std::vector<double>{1, 5, 2, 5}));

    EXPECT_EQ(group.share(rank == 0 ? "plan" : ""), "plan");
    EXPECT_EQ(group.share(rank == 0 ? "again" : ""), "again");
    EXPECT_EQ(group.host(1), host_name());
  });
}

TEST_F(JoinGroupTest, HostsTalkOverTheStoreWhereThereIsNoGloo) {
  talk_over_store_ = true;
  run(3, [](ProcessGroup& group) {
    for (int round = 0; round < 5; ++round) {
      const double mine = 10.0 * round + group.rank().rank;
      EXPECT_EQ(group.all_gather({&mine, 1}),
                (std::vector<double>{10.0 * round, 10.0 * round + 1, 10.0 * round + 2}));
    }
  });
}

// In processes, because one of them goes without a word. What each says is its exit code.
class LostProcessTest : public JoinGroupTest {
 protected:
  // Runs `work` in a process of its own and exits with what it returns.
  pid_t start(int rank, int world, const std::function<int(ProcessGroup&)>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      int code = 99;
      try {
        code = work(*join_group(options(rank, world)));
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      }
      ::_exit(code);
    }
    return pid;
  }

  static int exit_code(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // 0 when a collective call names `who` as the one that is gone.
  static int names(ProcessGroup& group, const std::string& who) {
    try {
      while (true) {
        group.barrier();
      }
    } catch (const ReplicaLost& error) {
      const std::string what = error.what();
      std::fprintf(stderr, "rank %d: %s\n", group.rank().rank, what.c_str());
      return what.find(who) == std::string::npos ? 1 : 0;
    }
  }
};

TEST_F(LostProcessTest, AKilledOneIsNamedByTheOthersWithItsLastStep) {
  const auto survivor = [](ProcessGroup& group) {
    group.at_step(12);
    return names(group, "last step 12");
  };
  const pid_t first = start(0, 3, survivor);
  const pid_t third = start(2, 3, survivor);
  const pid_t second = start(1, 3, [](ProcessGroup& group) {
    group.at_step(12);
    group.barrier();
    return ::kill(::getpid(), SIGKILL);
  });

  EXPECT_EQ(exit_code(second), 128 + SIGKILL);
  EXPECT_EQ(exit_code(first), 0);
  EXPECT_EQ(exit_code(third), 0);
}

TEST_F(LostProcessTest, TheOneThatServesTheStoreIsMissedToo) {
  const auto survivor = [](ProcessGroup& group) { return names(group, "rank 0 on "); };
  const pid_t first = start(0, 3, [](ProcessGroup& group) {
    group.barrier();
    return ::kill(::getpid(), SIGKILL);
  });
  const pid_t second = start(1, 3, survivor);
  const pid_t third = start(2, 3, survivor);

  EXPECT_EQ(exit_code(first), 128 + SIGKILL);
  EXPECT_EQ(exit_code(second), 0);
  EXPECT_EQ(exit_code(third), 0);
}

TEST_F(LostProcessTest, AStoppedOneIsNamedAfterTheTimeout) {
  const pid_t first = start(0, 2, [](ProcessGroup& group) { return names(group, "rank 1 on "); });
  const pid_t second = start(1, 2, [](ProcessGroup& group) {
    group.barrier();
    return ::kill(::getpid(), SIGSTOP);
  });

  EXPECT_EQ(exit_code(first), 0);
  ::kill(second, SIGKILL);
  EXPECT_EQ(exit_code(second), 128 + SIGKILL);
}

// As hosts talk in a build without Gloo: the numbers that steps agree on, 100 updates long.
TEST_F(LostProcessTest, SixteenTalkOverTheStore) {
  constexpr int kWorld = 16;
  constexpr int kRounds = 100;
  talk_over_store_ = true;
  timeout_ = Seconds(30);
  std::vector<pid_t> processes;
  for (int rank = 0; rank < kWorld; ++rank) {
    processes.push_back(start(rank, kWorld, [](ProcessGroup& group) {
      group.barrier();
      for (int round = 0; round < kRounds; ++round) {
        const std::array<double, 6> own = {1.0 * group.rank().rank, 1.0 * round, 0.5, -1, 2, 3};
        const std::vector<double> all = group.all_gather(own);
        if (all[6 * 11] != 11 || all[6 * 15 + 1] != round) {
          return 1;
        }
      }
      group.barrier();
      return 0;
    }));
  }

  for (const pid_t process : processes) {
    EXPECT_EQ(exit_code(process), 0);
  }
}

// The group is taken down with an exchange that its thread still waits for.
TEST_F(LostProcessTest, AnExchangeThatNobodyAnswersEndsWithTheGroup) {
  const pid_t first = start(0, 2, [](ProcessGroup& group) {
    const torch::Tensor values = torch::zeros({4});
    const std::unique_ptr<Exchange> exchange = group.start_all_reduce(values, ExchangeFormat::f32);
    return names(group, "rank 1 on ");
  });
  const pid_t second = start(1, 2, [](ProcessGroup& group) {
    group.barrier();
    return ::kill(::getpid(), SIGSTOP);
  });

  EXPECT_EQ(exit_code(first), 0);
  ::kill(second, SIGKILL);
  EXPECT_EQ(exit_code(second), 128 + SIGKILL);
}

TEST_F(LostProcessTest, OneThatFailsIsNamedWithItsReason) {
  const pid_t first = start(
      0, 2, [](ProcessGroup& group) { return names(group, "failed, last step 7: no space left"); });
  const pid_t second = start(1, 2, [](ProcessGroup& group) {
    group.at_step(7);
    group.barrier();
    group.fail("no space left");
    return 3;
  });

  EXPECT_EQ(exit_code(second), 3);
  EXPECT_EQ(exit_code(first), 0);
}

TEST_F(LostProcessTest, OneThatWaitsForRankZeroCanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  JoinOptions alone = options(1, 2);
  alone.stop = stop.get_token();

  try {
    (void)join_group(alone);
    FAIL() << "joined alone";
  } catch (const MessageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("stopped while waiting"));
  }
}

std::string failure_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const MessageError& error) {
    return error.what();
  }
  return "";
}

TEST_F(JoinGroupTest, ProcessesOfDifferentNumbersRefuseEachOther) {
  std::array<std::string, 2> failures;
  {
    std::vector<std::jthread> threads;
    for (const int rank : {0, 1}) {
      threads.emplace_back([&, rank] {
        failures[static_cast<std::size_t>(rank)] =
            failure_of([&] { (void)join_group(options(rank, 3 - rank)); });
      });
    }
  }

  EXPECT_THAT(failures[0], HasSubstr("rank 1 on "));
  EXPECT_THAT(failures[0], HasSubstr("one of 2 processes, this one as one of 3"));
  EXPECT_THAT(failures[1], HasSubstr("rank 0 on "));
  EXPECT_THAT(failures[1], HasSubstr("one of 3 processes, this one as one of 2"));
}

// The store answers when they have come: in two seconds a thread that asks sleeps hundreds of times.
TEST_F(JoinGroupTest, WhoWaitsForTheOthersDoesNotAskAgainAndAgain) {
  JoinOptions alone = options(0, 2);
  alone.start_timeout = Seconds(2);
  const auto sleeps = [] {
    rusage usage{};
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  const long before = sleeps();

  EXPECT_THAT(failure_of([&] { (void)join_group(alone); }), HasSubstr("rank 1 did not connect"));

  EXPECT_LT(sleeps() - before, 100);
}

// In a process of its own: the hard limit cannot be raised again.
TEST_F(LostProcessTest, TooFewOpenFilesAreSaidBeforeAnythingIsOpened) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    const rlimit few{.rlim_cur = 16, .rlim_max = 16};
    ::setrlimit(RLIMIT_NOFILE, &few);
    const std::string failure = failure_of([&] { (void)join_group(options(0, 2)); });
    ::_exit(failure.find("only 16 files") == std::string::npos ? 1 : 0);
  }

  EXPECT_EQ(exit_code(pid), 0);
}

// Rank 0 of two, where the other comes to the meeting and never connects.
class UnansweredTest : public JoinGroupTest {
 protected:
  // What rank 0 ended with; `meanwhile` runs once the other has come.
  std::string join(
      const JoinOptions& joining,
      const std::function<void(c10d::Store&)>& meanwhile = [](c10d::Store&) {}) {
    std::string failure;
    std::jthread first([&] { failure = failure_of([&] { (void)join_group(joining); }); });
    const StorePointer store =
        connect_store(options(1, 2).place, Seconds(30), StoreRole::first_of_process);
    const std::string introduction = R"({"host": "elsewhere", "world": 2, "backend": "gloo"})";
    store->set("host/1", {introduction.begin(), introduction.end()});
    meanwhile(*store);
    first.join();
    return failure;
  }
};

TEST_F(UnansweredTest, ConnectingEndsAfterTheTimeout) {
  JoinOptions joining = options(0, 2);
  joining.start_timeout = Seconds(5);  // c10d may need a second to find the store
  joining.timeout = Seconds(60);

  EXPECT_THAT(join(joining), HasSubstr("were not connected within"));
}

TEST_F(UnansweredTest, ConnectingEndsWithAStop) {
  std::stop_source stop;
  JoinOptions joining = options(0, 2);
  joining.timeout = Seconds(60);
  joining.stop = stop.get_token();

  const std::string failure = join(joining, [&](c10d::Store& store) {
    store.wait({"control/0/0"});  // where Gloo leaves its address
    stop.request_stop();
  });

  EXPECT_THAT(failure, HasSubstr("stopped while waiting"));
}

TEST_F(UnansweredTest, ConnectingEndsWhenTheOtherIsGone) {
  JoinOptions joining = options(0, 2);
  joining.timeout = Seconds(1);

  EXPECT_THAT(join(joining), HasSubstr("rank 1 on elsewhere is gone"));
}

TEST_F(LostProcessTest, OneThatNeverComesIsNamed) {
  JoinOptions alone = options(0, 2);
  alone.start_timeout = Seconds(0.1);

  try {
    (void)join_group(alone);
    FAIL() << "joined alone";
  } catch (const MessageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("of 2 processes, rank 1 did not connect"));
  }
}

}  // namespace
}  // namespace qanat
