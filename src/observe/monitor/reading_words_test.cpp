#include "monitor/reading_words.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/translator.h"

namespace qanat {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string persian_of(std::string_view why) {
  return Translator(Language::fa).said(reading_words(why));
}

class ReadingWordsTest : public testing::TestWithParam<const char*> {};

TEST_P(ReadingWordsTest, HaveNoEnglishInPersian) {
  EXPECT_THAT(persian_of(GetParam()), Not(ContainsRegex("[a-z]+ [a-z]+ [a-z]+")));
}

TEST_P(ReadingWordsTest, AreAReasonInEnglish) {
  EXPECT_THAT(Translator().said(reading_words(GetParam())), Not(testing::IsEmpty()));
}

INSTANTIATE_TEST_SUITE_P(
    Reasons,
    ReadingWordsTest,
    testing::Values("the host was sampled only once",
                    "the host was sampled for too short a time",
                    "no thread has a schedstat; the kernel was built without it",
                    "this driver has no function for it",
                    "the driver knows no GPU",
                    "libnvidia-ml.so.1: cannot open shared object file: No such file or directory",
                    "no mount point lies above /data",
                    "NVML did not answer within 2 s",
                    "NVML did not answer within 2.0 s: a GPU may be lost",
                    "the driver does not answer",
                    "another rank has no samples",
                    "no samples of the host",
                    "the journals of the other ranks are not here",
                    "whether files came from storage cannot be told: no time was left",
                    "the page cache kept the files (12 % came from storage): they are held in "
                    "memory, mapped by another process, or not written out yet"));

TEST(ReadingReasonTest, KeepsWhatIsInTheReason) {
  EXPECT_THAT(persian_of("no mount point lies above /data"), HasSubstr("/data"));
  EXPECT_THAT(persian_of("the page cache kept the files (12 % came from storage): they are held"),
              HasSubstr("12"));
}

TEST(ReadingReasonTest, LeavesWhatOthersSayAsItIs) {
  EXPECT_EQ(Translator().said(reading_words("Driver/library version mismatch (18)")),
            "Driver/library version mismatch (18)");
}

}  // namespace
}  // namespace qanat
