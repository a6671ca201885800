#include "checkpoint_files/folder_lock.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

namespace qanat {
namespace {

class FolderLockTest : public testing::Test {
 protected:
  FolderLockTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  FolderLockTest(const FolderLockTest&) = delete;
  FolderLockTest& operator=(const FolderLockTest&) = delete;
  ~FolderLockTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file() const { return folder_ / "training.lock"; }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / "folder_lock" /
      testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(FolderLockTest, ASecondHolderIsRefusedAndToldWhoTheFirstIs) {
  const FolderLock first(folder_);

  try {
    const FolderLock second(folder_);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(fmt::format("process {} on ", ::getpid())));
    EXPECT_THAT(error.what(), testing::HasSubstr("--checkpoint-dir"));
  }
}

TEST_F(FolderLockTest, LeavesNothingBehind) {
  { const FolderLock lock(folder_); }

  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(FolderLockTest, TheLockOfAKilledProcessIsFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder_);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(std::filesystem::exists(file()));

  EXPECT_NO_THROW(FolderLock{folder_});
}

TEST_F(FolderLockTest, WithoutLocksOfTheKernelTheNamedProcessDecides) {
  constexpr Seconds kLost{600};
  const FolderLock lock(folder_);
  std::ifstream stream(file());
  const std::string self((std::istreambuf_iterator<char>(stream)), {});

  EXPECT_TRUE(may_be_alive(self, 2 * kLost, kLost));
  EXPECT_TRUE(may_be_alive(
      R"({"pid":1234567890,"host":"elsewhere.example","since":"then"})", 2 * kLost, kLost));
  EXPECT_FALSE(may_be_alive("", Seconds{0}, kLost));

  const std::string pid = fmt::format("\"pid\":{}", ::getpid());
  std::string gone = self;
  gone.replace(gone.find(pid), pid.size(), "\"pid\":1234567890");
  EXPECT_FALSE(may_be_alive(gone, Seconds{0}, kLost));
}

class FolderLockElsewhereTest : public FolderLockTest {
 protected:
  FolderLockElsewhereTest() {
    std::ofstream(file())
        << R"({"pid":1,"host":"elsewhere.example","since":"then","heartbeat":30})";
  }
  void touch(std::chrono::seconds ago) const {
    std::filesystem::last_write_time(file(), std::filesystem::file_time_type::clock::now() - ago);
  }

  const FolderLockOptions without_locks_{.locks = FolderLockOptions::Locks::none};
};

TEST_F(FolderLockElsewhereTest, AProcessThatTouchedItsFileLatelyIsAlive) {
  touch(std::chrono::seconds(60));

  EXPECT_THROW(FolderLock(folder_, without_locks_), Error);
}

TEST_F(FolderLockElsewhereTest, AProcessThatIsSilentForLongIsGone) {
  touch(std::chrono::seconds(601));

  EXPECT_NO_THROW(FolderLock(folder_, without_locks_));
}

TEST_F(FolderLockTest, AHolderWithoutLocksTouchesItsFile) {
  const FolderLock lock(folder_,
                        {.locks = FolderLockOptions::Locks::none, .heartbeat = Seconds{0.001}});
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);

  std::filesystem::last_write_time(file(), long_ago);
  while (std::filesystem::last_write_time(file()) == long_ago) {
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace qanat
