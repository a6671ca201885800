#include "store/store_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

AwsSettings with_endpoint(std::string endpoint) {
  return {.credentials = AwsCredentials{.key_id = "id", .secret = "very secret"},
          .region = "eu-west-3",
          .endpoint = std::move(endpoint)};
}

TEST(StoreUrlTest, AsksForWebPagesAsTheyAre) {
  EXPECT_EQ(resolve_url("https://host/a%20b c.tar?v=1", {}).value().url,
            "https://host/a%20b%20c.tar?v=1");
}

TEST(StoreUrlTest, FindsABucketAtAmazon) {
  const StoreAddress address = resolve_url("s3://bucket/a b/x.tar", with_endpoint("")).value();

  EXPECT_EQ(address.url, "https://bucket.s3.eu-west-3.amazonaws.com/a%20b/x.tar");
  EXPECT_EQ(address.host, "bucket.s3.eu-west-3.amazonaws.com");
  EXPECT_EQ(address.path, "/a%20b/x.tar");
  EXPECT_TRUE(address.is_signed);
}

TEST(StoreUrlTest, KeepsABucketWithADotOutOfTheHost) {
  EXPECT_EQ(resolve_url("s3://my.bucket/x.tar", with_endpoint("")).value().url,
            "https://s3.eu-west-3.amazonaws.com/my.bucket/x.tar");
}

TEST(StoreUrlTest, FindsABucketAtAnEndpoint) {
  const StoreAddress address =
      resolve_url("s3://bucket/x.tar", with_endpoint("http://localhost:9000")).value();

  EXPECT_EQ(address.url, "http://localhost:9000/bucket/x.tar");
  EXPECT_EQ(address.host, "localhost:9000");
  EXPECT_EQ(address.path, "/bucket/x.tar");
}

TEST(StoreUrlTest, SignsAHostAsLibrariesWriteIt) {
  EXPECT_EQ(resolve_url("s3://b/k", with_endpoint("https://host:443")).value().host, "host");
}

TEST(StoreUrlTest, SignsNothingWithoutCredentials) {
  EXPECT_FALSE(resolve_url("s3://b/k", {}).value().is_signed);
}

class BadUrlTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BadUrlTest, IsRefused) {
  EXPECT_FALSE(resolve_url(GetParam(), {}).ok());
}

INSTANTIATE_TEST_SUITE_P(Urls,
                         BadUrlTest,
                         ::testing::Values("http://",
                                           "https:///x.tar",
                                           "s3://bucket",
                                           "s3:///key",
                                           "file:///etc/passwd",
                                           "/etc/passwd"));

TEST(StoreUrlTest, RepeatsNoPassword) {
  const Result<StoreAddress> in_url = resolve_url("https://me:very secret@host/x.tar", {});
  const Result<StoreAddress> in_endpoint =
      resolve_url("s3://b/k", with_endpoint("http://me:very secret@host"));
  const Result<StoreAddress> no_url = resolve_url("s3://b/k", with_endpoint("me:very secret@host"));

  for (const Result<StoreAddress>* const result : {&in_url, &in_endpoint, &no_url}) {
    ASSERT_FALSE(result->ok());
    EXPECT_THAT(result->failure().what, ::testing::Not(::testing::HasSubstr("very secret")));
  }
}

}  // namespace
}  // namespace qanat
