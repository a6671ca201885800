#include "launch/children.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::Contains;
using testing::HasSubstr;

class ChildrenTest : public testing::Test {
 protected:
  ChildrenTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {}

  int run(const std::string& script, int count = 2) {
    return run_children(
        {.count = count,
         .command = {"/bin/sh", "-c", script, "sh", folder_.string()},
         .logs = folder_,
         .is_quiet = is_quiet_,
         .patience = Seconds(patience_),
         .stop = stop_.get_token(),
         .say = [this](const Message& line) { said_.push_back(Translator().tr(line)); }});
  }
  std::string log(int rank) const {
    std::ifstream file(folder_ / ("rank-" + std::to_string(rank) + ".log"));
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  const std::filesystem::path folder_;
  std::stop_source stop_;
  double patience_ = 60;
  bool is_quiet_ = false;
  std::vector<std::string> said_;
};

TEST_F(ChildrenTest, EachHasARankAndAllMeetAtOnePort) {
  const int code = run("echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR", 3);

  EXPECT_EQ(code, 0);
  EXPECT_EQ(log(1), "1/3 1/3 127.0.0.1\n");
  EXPECT_EQ(log(2), "2/3 2/3 127.0.0.1\n");
}

TEST_F(ChildrenTest, TheFirstFailureIsReportedWithItsLastLines) {
  const int code = run("[ $RANK = 0 ] || { echo cause; exit 7; }");

  EXPECT_EQ(code, 7);
  EXPECT_THAT(said_, Contains(HasSubstr("rank 1 ended first, with exit code 7")));
  EXPECT_THAT(said_, Contains("rank 1: cause"));
}

TEST_F(ChildrenTest, QuietOnesWriteToLogsAll) {
  is_quiet_ = true;

  EXPECT_EQ(run("echo I am $RANK"), 0);

  EXPECT_EQ(log(0), "I am 0\n");
  EXPECT_EQ(log(1), "I am 1\n");
}

TEST_F(ChildrenTest, ASignalIsReportedAsTheShellDoes) {
  EXPECT_EQ(run("[ $RANK = 0 ] || kill -9 $$"), 128 + 9);
}

TEST_F(ChildrenTest, OneThatDoesNotEndAfterAFailureIsKilled) {
  patience_ = 0.2;

  EXPECT_EQ(run("[ $RANK = 0 ] && exec sleep 600; exit 3"), 3);
}

// The children stop this process's token themselves: nothing depends on when.
TEST_F(ChildrenTest, AStopReachesEachOfThemOnce) {
  stop_.request_stop();

  const int code = run("trap 'echo stopped; exit 0' TERM; while :; do sleep 0.01; done");

  EXPECT_THAT(code, testing::AnyOf(0, 143));  // 143: before the trap was set
  EXPECT_TRUE(said_.empty());
}

TEST_F(ChildrenTest, AllKnowASecretThatIsAnotherInEachRun) {
  is_quiet_ = true;

  run("echo $QANAT_RUN_SECRET");
  const std::string first = log(0);
  EXPECT_EQ(first.size(), 33U);
  EXPECT_EQ(log(1), first);
  run("echo $QANAT_RUN_SECRET");

  EXPECT_NE(log(0), first);
}

// As kernels before 5.3 and some containers do.
void forbid_pidfd_open() {
  std::array<sock_filter, 4> filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST_F(ChildrenTest, AreWaitedForWithoutPidfd) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    forbid_pidfd_open();
    int code = 99;
    try {
      code = run("[ $RANK = 0 ] || exit 7");
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);

  EXPECT_EQ(WEXITSTATUS(status), 7);
}

class Listener {
 public:
  explicit Listener(bool reuse) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int value = reuse ? 1 : 0;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &value, sizeof(value));
  }
  bool listen(int port) const {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
           ::listen(socket_.get(), 1) == 0;
  }

 private:
  const UniqueFd socket_;
};

TEST(ReservedPortTest, IsKeptFromOthersAndFreeForTheStore) {
  const ReservedPort port;

  EXPECT_GT(port.number(), 1023);
  EXPECT_FALSE(Listener(/*reuse=*/false).listen(port.number()));
  EXPECT_TRUE(Listener(/*reuse=*/true).listen(port.number()));
}

}  // namespace
}  // namespace qanat
