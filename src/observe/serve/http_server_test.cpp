#include "serve/http_server.h"

#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/http_testing.h"

namespace qanat {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

HttpResponse echo(const HttpRequest& request) {
  if (request.path == "/events") {
    return {.content_type = "text/event-stream", .is_stream = true};
  }
  return request.path == "/big" ? HttpResponse{.body = std::string(8 << 20, 'x')}
                                : HttpResponse{.body = "path " + request.path};
}

std::shared_ptr<const std::string> event_of(const std::string& text) {
  return std::make_shared<const std::string>("data: " + text + "\n\n");
}

// Opens a stream and waits until the server counts it.
UniqueFd open_stream(const HttpServer& server) {
  UniqueFd fd = connect_to(server.port());
  send_text(fd, "GET /events HTTP/1.1\r\n\r\n");
  EXPECT_THAT(receive_until(fd, "\r\n\r\n"), HasSubstr("text/event-stream"));
  return fd;
}

TEST(HttpServerTest, AnswersAndCloses) {
  const HttpServer server({}, echo);

  const std::string answer = ask(server.port(), "/hello");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\npath /hello"));
  EXPECT_THAT(answer, HasSubstr("default-src 'none'"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff"));
}

TEST(HttpServerTest, SendsLargeAnswersWhole) {
  const HttpServer server({}, echo);

  EXPECT_GT(ask(server.port(), "/big").size(), std::size_t{8 << 20});
}

TEST(HttpServerTest, ClientsThatDoNotReadCannotFillTheMemory) {
  const HttpServer server({.most_waiting = mebibytes(12)}, echo);
  const UniqueFd slow = connect_to(server.port());
  send_text(slow, "GET /big HTTP/1.1\r\n\r\n");
  const std::string begin = receive_until(slow, "\r\n\r\n");  // it has its answer

  EXPECT_THAT(ask(server.port(), "/big"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(ask(server.port(), "/small"), StartsWith("HTTP/1.1 200"));
  EXPECT_GT(begin.size() + receive_until(slow, "").size(), std::size_t{8 << 20});
}

TEST(HttpServerTest, AHeadRequestGetsNoBody) {
  const HttpServer server({}, echo);
  const UniqueFd fd = connect_to(server.port());

  send_text(fd, "HEAD /hello HTTP/1.1\r\n\r\n");

  const std::string answer = receive_until(fd, "");
  EXPECT_THAT(answer, HasSubstr("Content-Length: 11"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
}

TEST(HttpServerTest, OversizedHeadersAreRefused) {
  const HttpServer server({}, echo);
  const UniqueFd fd = connect_to(server.port());

  send_text(fd, fmt::format("GET / HTTP/1.1\r\nX: {}", std::string(100'000, 'a')));

  EXPECT_THAT(receive_until(fd, "\r\n\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST(HttpServerTest, ARequestThatNeverEndsIsLetGo) {
  const HttpServer server({.request_timeout = Seconds{0.2}}, echo);
  const UniqueFd fd = connect_to(server.port());

  send_text(fd, "GET / HTTP/1.1\r\nX: ");

  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(receive_until(fd, ""), "");  // closed without an answer
  EXPECT_LT(seconds_since(begin), Seconds{10});
}

TEST(HttpServerTest, BytesThatTrickleInDoNotBuyTime) {
  const HttpServer server({.request_timeout = Seconds{0.3}}, echo);
  const UniqueFd fd = connect_to(server.port());

  const Clock::time_point begin = Clock::now();
  char byte = 0;
  while (::send(fd.get(), "x", 1, MSG_NOSIGNAL) == 1 && seconds_since(begin) < Seconds{10}) {
    const timeval pause{.tv_sec = 0, .tv_usec = 20'000};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &pause, sizeof(pause));
    if (::recv(fd.get(), &byte, 1, 0) == 0) {
      break;
    }
  }

  EXPECT_LT(seconds_since(begin), Seconds{5});
}

TEST(HttpServerTest, StreamsGetWhatIsPublished) {
  HttpServer server({}, echo);
  const UniqueFd stream = open_stream(server);

  server.publish(event_of("one"));
  EXPECT_THAT(receive_until(stream, "\n\n"), HasSubstr("data: one"));
  server.publish(event_of("two"));
  EXPECT_THAT(receive_until(stream, "\n\n"), HasSubstr("data: two"));
}

TEST(HttpServerTest, AStreamThatComesLateGetsTheNewestEvent) {
  HttpServer server({}, echo);
  server.publish(event_of("one"));
  server.publish(event_of("two"));

  const UniqueFd stream = connect_to(server.port());
  send_text(stream, "GET /events HTTP/1.1\r\n\r\n");

  EXPECT_THAT(receive_until(stream, "data: two\n\n"), testing::EndsWith("\r\n\r\ndata: two\n\n"));
}

TEST(HttpServerTest, TwoHundredClientsThatNeverReadHoldNobodyUp) {
  HttpServer server({.most_clients = 256}, echo);
  std::vector<UniqueFd> silent;
  silent.reserve(200);
  for (int i = 0; i < 200; ++i) {
    silent.push_back(open_stream(server));
  }
  const UniqueFd reader = open_stream(server);
  EXPECT_EQ(server.num_streams(), 201U);

  // More than all buffers of the kernel take.
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < 5; ++i) {
    server.publish(event_of(fmt::format("{}{}", std::string(1 << 20, 'x'), i)));
  }
  EXPECT_LT(seconds_since(begin), Seconds{1}) << "publishing waits for nobody";

  EXPECT_THAT(receive_until(reader, "x4\n\n"), HasSubstr("x4\n\n"));
  EXPECT_THAT(ask(server.port(), "/still"), HasSubstr("path /still"));
}

TEST(HttpServerTest, StreamsThatReadNothingAreLetGo) {
  HttpServer server({.send_timeout = Seconds{0.3}}, echo);
  const UniqueFd silent = open_stream(server);
  server.publish(event_of(std::string(16 << 20, 'x')));

  const Clock::time_point begin = Clock::now();
  while (server.num_streams() > 0 && seconds_since(begin) < Seconds{10}) {
    (void)ask(server.port(), "/");  // a round trip instead of a sleep
  }

  EXPECT_EQ(server.num_streams(), 0U);
}

TEST(HttpServerTest, AStreamWhoseClientLeavesIsForgotten) {
  HttpServer server({}, echo);
  {
    const UniqueFd stream = open_stream(server);
    EXPECT_EQ(server.num_streams(), 1U);
  }

  const Clock::time_point begin = Clock::now();
  while (server.num_streams() > 0 && seconds_since(begin) < Seconds{10}) {
    (void)ask(server.port(), "/");
  }

  EXPECT_EQ(server.num_streams(), 0U);
}

TEST(HttpServerTest, OneClientTooManyIsRefused) {
  HttpServer server({.most_clients = 2}, echo);
  const UniqueFd first = open_stream(server);
  const UniqueFd second = open_stream(server);

  EXPECT_THAT(ask(server.port(), "/"), testing::AnyOf(StartsWith("HTTP/1.1 503"), ""));
}

TEST(HttpServerTest, APortInUseIsSaid) {
  const HttpServer server({}, echo);

  EXPECT_THROW(HttpServer({.port = server.port()}, echo), std::exception);
  EXPECT_THROW(HttpServer({.address = "localhost"}, echo), std::exception);
}

}  // namespace
}  // namespace qanat
