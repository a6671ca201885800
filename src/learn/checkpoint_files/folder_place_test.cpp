#include "checkpoint_files/folder_place.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

class FolderPlaceTest : public testing::TestWithParam<Exchanging> {
 protected:
  FolderPlaceTest() {
    fs::remove_all(root_);
    make(from_, "new");
  }
  FolderPlaceTest(const FolderPlaceTest&) = delete;
  FolderPlaceTest& operator=(const FolderPlaceTest&) = delete;
  ~FolderPlaceTest() override { fs::remove_all(root_); }

  static void make(const fs::path& folder, const std::string& content) {
    fs::create_directories(folder);
    write_text_file(folder / "file", content);
  }
  static std::string content(const fs::path& folder) {
    return read_text_file(folder / "file").value();
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "folder_place" /
                         testing::UnitTest::GetInstance()->current_test_info()->name();
  const fs::path from_ = root_ / "from";
  const fs::path to_ = root_ / "to";
};

TEST_P(FolderPlaceTest, TakesAPlaceThatIsFree) {
  put_in_place(from_, to_, GetParam());

  EXPECT_EQ(content(to_), "new");
  EXPECT_FALSE(fs::exists(from_));
}

TEST_P(FolderPlaceTest, LeavesWhatWasThereUnderTheOtherName) {
  make(to_, "old");

  put_in_place(from_, to_, GetParam());

  EXPECT_EQ(content(to_), "new");
  EXPECT_EQ(content(from_), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 2);
}

TEST_P(FolderPlaceTest, WhatCannotBeMovedChangesNothing) {
  make(to_, "old");

  EXPECT_THROW(put_in_place(root_ / "nothing", to_, GetParam()), Error);

  EXPECT_EQ(content(to_), "old");
}

INSTANTIATE_TEST_SUITE_P(,
                         FolderPlaceTest,
                         testing::Values(Exchanging::at_once, Exchanging::in_renames),
                         [](const auto& test) {
                           return test.param == Exchanging::at_once ? "AtOnce" : "InRenames";
                         });

// From now on the kernel answers this process as NFS and FUSE do when names are to be exchanged.
bool refuse_exchanges() {
  constexpr unsigned kExchange = 1U << 1U;
  std::array program = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 3),
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[4])),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kExchange, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

class FolderExchangeTest : public FolderPlaceTest {};

TEST_F(FolderExchangeTest, AFileSystemThatCannotExchangeNamesIsServedByRenames) {
  constexpr int kNoFilter = 77;
  make(to_, "old");

  const pid_t child = ::fork();
  if (child == 0) {
    if (!refuse_exchanges()) {
      ::_exit(kNoFilter);
    }
    try {
      put_in_place(from_, to_);
    } catch (const Error&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);

  if (WEXITSTATUS(status) == kNoFilter) {
    GTEST_SKIP() << "no seccomp on this system";
  }
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content(to_), "new");
  EXPECT_EQ(content(from_), "old");
}

TEST(FolderPlaceNamesTest, ALeftoverKnowsWhereItWas) {
  EXPECT_EQ(place_of_replaced("a/.replaced-step-000000001"), fs::path("a/step-000000001"));
  EXPECT_EQ(place_of_replaced("a/step-000000001"), std::nullopt);
}

}  // namespace
}  // namespace qanat
