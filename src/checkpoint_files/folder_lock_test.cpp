#include "checkpoint_files/folder_lock.h"

#include <csignal>
#include <fstream>
#include <string>

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
  const FolderLock lock(folder_);
  std::ifstream stream(file());
  const std::string self((std::istreambuf_iterator<char>(stream)), {});

  EXPECT_TRUE(may_be_alive(self));
  EXPECT_TRUE(may_be_alive(R"({"pid":1234567890,"host":"elsewhere.example","since":"then"})"));
  EXPECT_FALSE(may_be_alive(""));

  const std::string pid = fmt::format("\"pid\":{}", ::getpid());
  std::string gone = self;
  gone.replace(gone.find(pid), pid.size(), "\"pid\":1234567890");
  EXPECT_FALSE(may_be_alive(gone));
}

}  // namespace
}  // namespace qanat
