#include "base/files.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"

namespace qanat {
namespace {

class FilesTest : public testing::Test {
 protected:
  // A folder of its own for each case: cases run side by side.
  FilesTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                (std::string("qanat_files_test_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  FilesTest(const FilesTest&) = delete;
  FilesTest& operator=(const FilesTest&) = delete;
  ~FilesTest() override { std::filesystem::remove_all(folder_); }

  std::size_t num_entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

TEST_F(FilesTest, AnAtomicFileAppearsOnCommit) {
  AtomicFile file(folder_ / "a");
  file.write("hello");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a"));

  file.commit();

  EXPECT_EQ(read_text_file(folder_ / "a").value(), "hello");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(FilesTest, AnAtomicFileThatCannotBeMadeIsNamedAsTheUserNamedIt) {
  const std::string wanted = (folder_ / "nowhere" / "a").string();

  try {
    AtomicFile file(wanted);
    FAIL() << "made in a folder that does not exist";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(wanted + ": cannot create: "));
  }
}

TEST_F(FilesTest, AnAtomicFileThatIsNotCommittedLeavesNothingAndKeepsTheFormerContent) {
  write_text_file(folder_ / "a", "before");
  {
    AtomicFile file(folder_ / "a");
    file.write("half");
  }

  EXPECT_EQ(read_text_file(folder_ / "a").value(), "before");
  EXPECT_EQ(num_entries(), 1U);
}

TEST_F(FilesTest, AFullDiskIsAnError) {
  // /dev/full answers every write with ENOSPC.
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "no /dev/full on this system";
  }
  std::filesystem::create_symlink("/dev/full", folder_ / ("a.part-" + std::to_string(::getpid())));

  AtomicFile file(folder_ / "a");

  EXPECT_THROW(file.write("x"), Error);
}

TEST_F(FilesTest, MappedFileShowsTheBytes) {
  write_text_file(folder_ / "a", "abc");

  const Result<MappedFile> file = MappedFile::open(folder_ / "a");

  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().bytes().size(), 3U);
  EXPECT_EQ(file.value().bytes()[1], std::byte{'b'});
}

TEST_F(FilesTest, RefusesFoldersAndMissingFilesWithAReason) {
  EXPECT_THAT(MappedFile::open(folder_).failure().what, testing::HasSubstr("not a regular file"));
  EXPECT_THAT(MappedFile::open(folder_ / "no").failure().what,
              testing::HasSubstr("No such file or directory"));
}

TEST_F(FilesTest, RefusesATextFileOverItsLimit) {
  write_text_file(folder_ / "a", "12345");

  EXPECT_THAT(read_text_file(folder_ / "a", Bytes{4}).failure().what,
              testing::HasSubstr("expected at most 4"));
}

}  // namespace
}  // namespace qanat
