#include "serve/access.h"

#include <gtest/gtest.h>

namespace qanat {
namespace {

HttpRequest with_host(const std::string& host, const std::string& path = "/") {
  return {.path = path, .query = "", .headers = {{"host", host}}};
}

const AccessRules kOpen{.address = "127.0.0.1", .port = 8000};
const AccessRules kSecret{.address = "0.0.0.0", .port = 8000, .token = "0123456789abcdef"};

TEST(AccessTest, OurOwnNamesAreAnswered) {
  EXPECT_EQ(check_access(with_host("127.0.0.1:8000"), kOpen), std::nullopt);
  EXPECT_EQ(check_access(with_host("localhost:8000"), kOpen), std::nullopt);
  EXPECT_EQ(check_access(with_host("[::1]:8000"), kOpen), std::nullopt);
}

TEST(AccessTest, OtherNamesAreRefused) {
  EXPECT_EQ(check_access(with_host("evil.example:8000"), kOpen), 421);
  EXPECT_EQ(check_access(with_host("127.0.0.1:9000"), kOpen), 421);
  EXPECT_EQ(check_access(with_host("localhost.evil.example:8000"), kOpen), 421);
  EXPECT_EQ(check_access(with_host(""), kOpen), 421);
}

TEST(AccessTest, ATokenMustBeRight) {
  HttpRequest request = with_host("machine:8000");
  EXPECT_EQ(check_access(request, kSecret), 401);
  request.query = "token=0123456789abcdeF";
  EXPECT_EQ(check_access(request, kSecret), 401);
  request.query = "token=0123456789abcdef";
  EXPECT_EQ(check_access(request, kSecret), std::nullopt);
}

TEST(AccessTest, ATokenMayComeAsAHeader) {
  HttpRequest request = with_host("machine:8000");
  request.headers["authorization"] = "Bearer 0123456789abcdef";

  EXPECT_EQ(check_access(request, kSecret), std::nullopt);
}

TEST(AccessTest, HealthIsOpenToAll) {
  EXPECT_EQ(check_access(with_host("evil.example", "/healthz"), kOpen), std::nullopt);
  EXPECT_EQ(check_access(with_host("machine", "/healthz"), kSecret), std::nullopt);
}

TEST(AccessTest, TokensAreLongAndDiffer) {
  EXPECT_EQ(make_token().size(), 32U);
  EXPECT_NE(make_token(), make_token());
}

TEST(AccessTest, KnowsLoopbackAddresses) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("192.168.1.2"));
}

}  // namespace
}  // namespace qanat
