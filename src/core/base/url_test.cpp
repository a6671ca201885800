#include "base/url.h"

#include <string>

#include <gtest/gtest.h>

namespace qanat {
namespace {

TEST(UrlTest, TellsUrlsFromPaths) {
  EXPECT_TRUE(is_url("http://host/x.tar"));
  EXPECT_TRUE(is_url("https://host/x.tar"));
  EXPECT_TRUE(is_url("s3://bucket/x.tar"));
  EXPECT_FALSE(is_url("file:///etc/passwd"));
  EXPECT_FALSE(is_url("/data/http://host"));
  EXPECT_FALSE(is_url("s3:/bucket"));
  EXPECT_FALSE(is_url(""));
}

class SecretUrlTest : public ::testing::TestWithParam<const char*> {};
class OpenUrlTest : public ::testing::TestWithParam<const char*> {};

TEST_P(SecretUrlTest, IsSeen) {
  EXPECT_TRUE(has_secret(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Urls,
                         SecretUrlTest,
                         ::testing::Values("https://user:word@host/x.tar",
                                           "https://word@host/x.tar",
                                           "s3://id:secret@bucket/x.tar",
                                           "https://host?token=1",
                                           "https://host/x.tar?a=1&X-Amz-Signature=ab",
                                           "https://host/x.tar?X-Amz-Credential=ab",
                                           "https://host/x.tar?sv=1&SIG=ab",
                                           "https://host/x.tar?a=1;access_token=ab",
                                           "https://host/x.tar#access_token=ab",
                                           "https://host/x.tar?apiKey=ab"));

TEST_P(OpenUrlTest, IsLetThrough) {
  EXPECT_FALSE(has_secret(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Urls,
                         OpenUrlTest,
                         ::testing::Values("https://host/x.tar",
                                           "https://host:8080/a@b/x.tar",
                                           "https://host/x.tar?download=true",
                                           "https://host/x.tar?",
                                           "https://host/x.tar?&",
                                           "https://host",
                                           "s3://bucket/tokens/x.tar",
                                           "/folder/with@sign"));

}  // namespace
}  // namespace qanat
