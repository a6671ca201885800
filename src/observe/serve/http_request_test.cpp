#include "serve/http_request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace qanat {
namespace {

using State = HttpParse::State;

int status_of(const std::string& bytes) {
  const HttpParse parse = parse_request(bytes);
  return parse.state == State::refused ? parse.status : 0;
}

TEST(HttpRequestTest, ReadsPathQueryAndHeaders) {
  const HttpParse parse =
      parse_request("GET /events?a=1&token=xyz HTTP/1.1\r\nHost: localhost:80\r\nX-Y:  z \r\n\r\n");

  ASSERT_EQ(parse.state, State::complete);
  EXPECT_EQ(parse.request.path, "/events");
  EXPECT_EQ(parse.request.header("host"), "localhost:80");
  EXPECT_EQ(parse.request.header("x-y"), "z");
  EXPECT_EQ(parse.request.parameter("token"), "xyz");
  EXPECT_EQ(parse.request.parameter("tok"), "");
  EXPECT_FALSE(parse.request.head_only);
}

TEST(HttpRequestTest, WaitsForTheEndOfTheHead) {
  const std::string whole = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(parse_request(whole.substr(0, size)).state, State::incomplete) << size;
  }
}

TEST(HttpRequestTest, RefusesWhatIsNotForPages) {
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\n\r\n"), 405);
  EXPECT_EQ(status_of("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n"), 413);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
}

TEST(HttpRequestTest, RefusesWhatIsNoRequest) {
  EXPECT_EQ(status_of("hello\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET http://other/ HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /\x01 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nno colon\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n folded: x\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
}

TEST(HttpRequestTest, ReadsABodyWhereOneIsAllowed) {
  const std::string whole = "POST /x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";

  const HttpParse parse = parse_request(whole + "more", {.body = 5});

  ASSERT_EQ(parse.state, State::complete);
  EXPECT_EQ(parse.request.method, "POST");
  EXPECT_EQ(parse.request.body, "hello");
  EXPECT_EQ(parse_request(whole, {.body = 4}).status, 413);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(parse_request(whole.substr(0, size), {.body = 5}).state, State::incomplete) << size;
  }
}

TEST(HttpRequestTest, ABodyHasALength) {
  for (const char* length : {"", "-1", "5x", "0x5", " "}) {
    EXPECT_EQ(parse_request(fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", length),
                            {.body = 100})
                  .status,
              400)
        << length;
  }
  EXPECT_EQ(parse_request("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
                          {.body = 100})
                .status,
            413);
}

TEST(HttpRequestTest, KnowsWhoWaitsToSendABody) {
  const HttpParse parse = parse_request(
      "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", {.body = 9});

  EXPECT_EQ(parse.state, State::incomplete);
  EXPECT_TRUE(parse.awaits_continue);
}

TEST(HttpRequestTest, RefusesWhatIsTooLong) {
  EXPECT_EQ(status_of(fmt::format("GET /{} HTTP/1.1\r\n\r\n", std::string(kMaxTargetBytes, 'a'))),
            414);
  EXPECT_EQ(status_of(fmt::format("GET / HTTP/1.1\r\nX: {}", std::string(kMaxRequestBytes, 'a'))),
            431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= kMaxHeaders; ++i) {
    many += fmt::format("h{}: 1\r\n", i);
  }
  EXPECT_EQ(status_of(many + "\r\n"), 431);
}

}  // namespace
}  // namespace qanat
