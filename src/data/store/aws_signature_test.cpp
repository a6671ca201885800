#include "store/aws_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

constexpr std::time_t kFriday = 1369353600;  // 2013-05-24 00:00 UTC, of the examples of S3's manual

AwsCredentials example() {
  return {.key_id = "AKIAIOSFODNN7EXAMPLE", .secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"};
}

// "GET Bucket (List Objects)" of S3's manual.
TEST(AwsSignatureTest, SignsAsTheManualDoes) {
  const std::vector<std::string> lines = sign_request({.host = "examplebucket.s3.amazonaws.com",
                                                       .path = "/",
                                                       .query = "max-keys=2&prefix=J",
                                                       .region = "us-east-1",
                                                       .time = kFriday},
                                                      example());

  EXPECT_THAT(lines,
              ::testing::Contains(
                  "Authorization: AWS4-HMAC-SHA256 "
                  "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                  "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
                  "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
  EXPECT_THAT(lines, ::testing::Contains("x-amz-date: 20130524T000000Z"));
}

TEST(AwsSignatureTest, SignsTheTokenOfTemporaryCredentials) {
  AwsCredentials temporary = example();
  temporary.session_token = "token";

  const std::vector<std::string> lines = sign_request(
      {.host = "h", .path = "/b/k", .region = "us-east-1", .time = kFriday}, temporary);

  EXPECT_THAT(lines, ::testing::Contains("x-amz-security-token: token"));
  EXPECT_THAT(lines,
              ::testing::Contains(::testing::HasSubstr(
                  "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token")));
}

TEST(AwsSignatureTest, EncodesWhatIsNotPlain) {
  EXPECT_EQ(encode_path("a b/ü~-_.+=@"), "a%20b/%C3%BC~-_.%2B%3D%40");
  EXPECT_EQ(encode_value("a/b"), "a%2Fb");
}

}  // namespace
}  // namespace qanat
