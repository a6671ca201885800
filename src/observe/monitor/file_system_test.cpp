#include "monitor/file_system.h"

#include "monitor/monitor_testing.h"

namespace qanat {
namespace {

constexpr const char* kMounts =
    "21 1 8:1 / / rw,relatime - ext4 /dev/root rw\n"
    "30 21 0:40 / /data rw - nfs4 server:/export rw\n"
    "31 30 0:41 / /data/fast\\040disk rw shared:3 - xfs /dev/nvme0n1 rw\n";

class FileSystemTest : public testing::Test {
 protected:
  FileSystemTest() { tree_.put("proc/self/mountinfo", kMounts); }

  std::string kind_of(const char* folder) const {
    const Reading<FileSystem> found = find_file_system(tree_.root(), folder);
    return found ? (*found).kind : found.why_not();
  }

  KernelTree tree_;
};

TEST_F(FileSystemTest, TheNearestMountAboveDecides) {
  EXPECT_EQ(kind_of("/data/corpus/wavs"), "nfs4");
  EXPECT_EQ(kind_of("/somewhere"), "ext4");
}

TEST_F(FileSystemTest, NamesWithBlanksAreRead) {
  EXPECT_EQ(kind_of("/data/fast disk/corpus"), "xfs");
}

TEST_F(FileSystemTest, ANameThatOnlyBeginsAlikeLiesElsewhere) {
  EXPECT_EQ(kind_of("/database"), "ext4");
}

TEST(FileSystemClassTest, KindsAreTold) {
  EXPECT_EQ(classify_file_system("nfs4"), FileSystemClass::network);
  EXPECT_EQ(classify_file_system("fuse.sshfs"), FileSystemClass::network);
  EXPECT_EQ(classify_file_system("overlay"), FileSystemClass::overlay);
  EXPECT_EQ(classify_file_system("tmpfs"), FileSystemClass::memory);
  EXPECT_EQ(classify_file_system("ext4"), FileSystemClass::local);
}

TEST(FileSystemMissingTest, WithoutMountsTheReasonIsSaid) {
  const KernelTree tree;

  const Reading<FileSystem> found = find_file_system(tree.root(), "/data");

  EXPECT_FALSE(found);
  EXPECT_NE(found.why_not().find("mountinfo: No such file"), std::string::npos) << found.why_not();
}

}  // namespace
}  // namespace qanat
