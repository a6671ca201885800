#include "store/http_head.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "locale/messages/stores.h"

namespace qanat {
namespace {

using Verdict = AnswerJudgement::Verdict;

HttpHead head_of(const std::vector<const char*>& lines) {
  HeadParser parser;
  for (const char* const line : lines) {
    EXPECT_TRUE(parser.take(line));
  }
  return parser.head();
}

const ObjectVersion kKnown{.size = Bytes{1000}, .tag = "\"one\""};

TEST(HttpHeadTest, ReadsWhatCounts) {
  const HttpHead head = head_of({"HTTP/1.1 206 Partial Content\r\n",
                                 "content-RANGE: bytes 5-9/1000\r\n",
                                 "Content-Length:5\r\n",
                                 "ETag: \"one\"\r\n",
                                 "Retry-After: 3\r\n",
                                 "\r\n"});

  EXPECT_EQ(head.status, 206);
  EXPECT_EQ(head.range, (ContentRange{.first = 5, .last = 9, .total = 1000}));
  EXPECT_EQ(head.length, 5);
  EXPECT_EQ(head.etag, "\"one\"");
  EXPECT_EQ(head.retry_after, Seconds(3));
}

TEST(HttpHeadTest, ForgetsTheAnswerBefore) {
  const HttpHead head =
      head_of({"HTTP/1.1 100 Continue", "ETag: \"old\"", "", "HTTP/2 200", "Content-Length: 7"});

  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.etag, "");
}

TEST(HttpHeadTest, EndsWhereAServerSaysTooMuch) {
  HeadParser parser;
  const std::string line = "X: " + std::string(1000, 'x');
  bool goes_on = true;
  for (int i = 0; i < 100; ++i) {
    goes_on = goes_on && parser.take(line);
  }

  EXPECT_FALSE(goes_on);
}

class BadContentRangeTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BadContentRangeTest, SaysNothing) {
  EXPECT_FALSE(parse_content_range(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Ranges,
                         BadContentRangeTest,
                         ::testing::Values("",
                                           "bytes",
                                           "bytes 1-2",
                                           "bytes -2/5",
                                           "bytes 1-/5",
                                           "bytes 1-2/",
                                           "bytes 1-2/-5",
                                           "bytes 1--2/5",
                                           "bytes 99999999999999999999-2/5",
                                           "items 1-2/5"));

TEST(HttpHeadTest, ReadsRangesWithGaps) {
  EXPECT_EQ(parse_content_range(" Bytes 1-2/*"), (ContentRange{.first = 1, .last = 2}));
  EXPECT_EQ(parse_content_range("bytes */7"), (ContentRange{.total = 7}));
}

TEST(JudgeTest, TakesWhatWasAskedFor) {
  const AnswerJudgement judged =
      judge(head_of({"HTTP/1.1 206 X", "Content-Range: bytes 5-9/1000", "ETag: \"one\""}),
            {.first = 5, .size = 5},
            &kKnown);

  EXPECT_EQ(judged.verdict, Verdict::take);
  EXPECT_EQ(judged.skip, 0);
  EXPECT_EQ(judged.take, 5);
  EXPECT_EQ(judged.version, kKnown);
}

TEST(JudgeTest, FindsTheRangeInAWholeObject) {
  const AnswerJudgement judged =
      judge(head_of({"HTTP/1.1 200 OK", "Content-Length: 1000"}), {.first = 5, .size = 5}, &kKnown);

  EXPECT_EQ(judged.verdict, Verdict::take);
  EXPECT_EQ(judged.skip, 5);
  EXPECT_EQ(judged.take, 5);
}

// As S3 servers do that are not Amazon's.
TEST(JudgeTest, TakesARangeThatIsCalledAWholeObject) {
  const AnswerJudgement judged =
      judge(head_of({"HTTP/1.1 200 OK", "Content-Length: 1", "Content-Range: bytes 0-0/1000"}),
            {},
            nullptr);

  EXPECT_EQ(judged.verdict, Verdict::take);
  EXPECT_FALSE(judged.is_whole);
  EXPECT_EQ(judged.version.size, Bytes{1000});
}

TEST(JudgeTest, DoesNotReadALargeObjectForARange) {
  const HttpHead head = head_of({"HTTP/1.1 200 OK", "Content-Length: 999999999999"});

  EXPECT_EQ(judge(head, {}, nullptr).why, Message(msg::store_no_ranges{}));
}

TEST(JudgeTest, RefusesAWholeObjectOfUnknownLength) {
  EXPECT_EQ(judge(head_of({"HTTP/1.1 200 OK"}), {}, nullptr).why, Message(msg::store_no_ranges{}));
}

struct JudgedCase {
  const char* name;
  std::vector<const char*> lines;
  Verdict verdict;
};

class JudgeKnownTest : public ::testing::TestWithParam<JudgedCase> {};

TEST_P(JudgeKnownTest, Decides) {
  EXPECT_EQ(judge(head_of(GetParam().lines), {.first = 5, .size = 5}, &kKnown).verdict,
            GetParam().verdict);
}

INSTANTIATE_TEST_SUITE_P(
    Answers,
    JudgeKnownTest,
    ::testing::Values(
        JudgedCase{"no_range", {"HTTP/1.1 206 X"}, Verdict::again},
        JudgedCase{
            "other_bytes", {"HTTP/1.1 206 X", "Content-Range: bytes 6-10/1000"}, Verdict::again},
        JudgedCase{
            "fewer_bytes", {"HTTP/1.1 206 X", "Content-Range: bytes 5-8/1000"}, Verdict::again},
        JudgedCase{
            "more_bytes", {"HTTP/1.1 206 X", "Content-Range: bytes 5-99/1000"}, Verdict::again},
        JudgedCase{"two_lengths",
                   {"HTTP/1.1 206 X", "Content-Range: bytes 5-9/1000", "Content-Length: 6"},
                   Verdict::again},
        JudgedCase{
            "unknown_total", {"HTTP/1.1 206 X", "Content-Range: bytes 5-9/*"}, Verdict::again},
        JudgedCase{
            "other_size", {"HTTP/1.1 206 X", "Content-Range: bytes 5-9/999"}, Verdict::refuse},
        JudgedCase{"other_tag",
                   {"HTTP/1.1 206 X", "Content-Range: bytes 5-9/1000", "ETag: \"two\""},
                   Verdict::refuse},
        JudgedCase{"other_whole", {"HTTP/1.1 200 X", "Content-Length: 1001"}, Verdict::refuse},
        JudgedCase{"packed",
                   {"HTTP/1.1 206 X", "Content-Range: bytes 5-9/1000", "Content-Encoding: gzip"},
                   Verdict::refuse},
        JudgedCase{"redirect", {"HTTP/1.1 302 X", "Location: /y"}, Verdict::redirect},
        JudgedCase{"to_nowhere", {"HTTP/1.1 302 X"}, Verdict::refuse},
        JudgedCase{"busy", {"HTTP/1.1 503 X"}, Verdict::again},
        JudgedCase{"too_many", {"HTTP/1.1 429 X"}, Verdict::again},
        JudgedCase{"gone", {"HTTP/1.1 404 X"}, Verdict::refuse},
        JudgedCase{"denied", {"HTTP/1.1 403 X"}, Verdict::refuse},
        JudgedCase{"shorter_now", {"HTTP/1.1 416 X", "Content-Range: bytes */3"}, Verdict::refuse},
        JudgedCase{"no_status", {"garbage"}, Verdict::again}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(JudgeTest, KnowsAnEmptyObject) {
  EXPECT_EQ(judge(head_of({"HTTP/1.1 416 X", "Content-Range: bytes */0"}), {}, nullptr).verdict,
            Verdict::empty);
  EXPECT_EQ(judge(head_of({"HTTP/1.1 200 X", "Content-Length: 0"}), {}, nullptr).verdict,
            Verdict::empty);
}

TEST(JudgeTest, NamesTheRegionOfABucket) {
  const HttpHead head = head_of({"HTTP/1.1 301 X", "x-amz-bucket-region: eu-west-1"});
  const HttpHead strange = head_of({"HTTP/1.1 301 X", "x-amz-bucket-region: <script>"});

  EXPECT_EQ(judge(head, {}, nullptr).why.id, msg::store_other_region::id);
  EXPECT_NE(judge(strange, {}, nullptr).why.id, msg::store_other_region::id);
}

}  // namespace
}  // namespace qanat
