#include "archive/tar_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/tar_testing.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Result<TarIndex> index_of(const std::string& bytes) {
  return read_tar_index(MemoryAccess(std::as_bytes(std::span(bytes))));
}

TarMember member(const char* name, std::int64_t offset, std::int64_t size) {
  return {.name = name, .offset = Bytes{offset}, .size = Bytes{size}};
}

TEST(TarIndexTest, FindsMembersOfUstarWithFoldersBetween) {
  const std::string bytes = tar_member("a.wav", std::string(700, 'x')) +
                            tar_member("folder/", "", '5') + tar_header("b.txt", 3, '0', "folder") +
                            tar_content("two") + tar_end();

  EXPECT_THAT(index_of(bytes).value().members,
              ElementsAre(member("a.wav", 512, 700), member("folder/b.txt", 2560, 3)));
}

TEST(TarIndexTest, ReadsLongNamesOfGnu) {
  const std::string name = std::string(150, 'n') + ".wav";
  const std::string bytes = tar_member("././@LongLink", name + '\0', 'L') +
                            tar_member(name.substr(0, 100), "sound") + tar_member("b", "x");

  EXPECT_THAT(index_of(bytes).value().members,
              ElementsAre(member(name.c_str(), 1536, 5), member("b", 2560, 1)));
}

TEST(TarIndexTest, ReadsNamesAndSizesOfPax) {
  const std::string bytes = tar_member("PaxHeaders/x", "17 path=\xD8\xB3/x.wav\n9 size=5\n", 'x') +
                            tar_header("short", 0) + tar_content("sound") + tar_member("b", "x");

  EXPECT_THAT(index_of(bytes).value().members,
              ElementsAre(member("\xD8\xB3/x.wav", 1536, 5), member("b", 2560, 1)));
}

TEST(TarIndexTest, ReadsSizesAsBinaryNumbers) {
  std::string header = tar_header("a", 5);
  header.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\x05", 12));
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : header) {
    sum += static_cast<unsigned char>(byte);
  }
  header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');

  EXPECT_THAT(index_of(header + tar_content("sound")).value().members,
              ElementsAre(member("a", 512, 5)));
}

TEST(TarIndexTest, KeepsWhatStandsBeforeACut) {
  const std::string bytes = tar_member("a", "one") + tar_member("b", std::string(2000, 'x'));

  const Result<TarIndex> index = index_of(bytes.substr(0, 2500));

  EXPECT_THAT(index.value().members, SizeIs(1));
  EXPECT_THAT(Translator().said(*index.value().trouble), HasSubstr("cut off at byte 1024, in b"));
}

TEST(TarIndexTest, KeepsWhatStandsBeforeDamage) {
  std::string bytes = tar_member("a", "one") + tar_member("b", "two") + tar_end();
  bytes[1024 + 3] = 'x';

  const Result<TarIndex> index = index_of(bytes);

  EXPECT_THAT(index.value().members, SizeIs(1));
  EXPECT_THAT(Translator().said(*index.value().trouble), HasSubstr("damaged at byte 1024"));
}

TEST(TarIndexTest, RefusesGzipWithTheReason) {
  const Result<TarIndex> index = index_of("\x1F\x8B" + std::string(1000, 'x'));

  ASSERT_FALSE(index);
  EXPECT_THAT(index.failure().what, HasSubstr("compressed by gzip"));
}

TEST(TarIndexTest, RefusesWhatIsNoTar) {
  EXPECT_FALSE(index_of(std::string(2048, 'x')));
}

}  // namespace
}  // namespace qanat
