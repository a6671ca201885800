#include "store/store.h"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "locale/message_error.h"
#include "locale/messages/stores.h"
#include "store/store_testing.h"

namespace qanat {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string numbered_bytes(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; bytes.size() < size; ++i) {
    bytes += fmt::format("{:07} ", i);
  }
  bytes.resize(size);
  return bytes;
}

const std::string kBytes = numbered_bytes(100'000);

StoreOptions quick_options() {
  return {.timeout = Seconds(5),
          .open_timeout = Seconds(5),
          .first_pause = Seconds(0.001),
          .max_pause = Seconds(0.01),
          .http = {.connect = Seconds(2), .stall = Seconds(1), .grace = Seconds(0.1)}};
}

std::shared_ptr<Store> quick_store() {
  return std::make_shared<Store>(quick_options());
}

std::string read_part(const RandomAccess& file, std::int64_t offset, std::size_t size) {
  std::string bytes(size, '?');
  const Result<Done> read = file.read(Bytes{offset}, std::as_writable_bytes(std::span(bytes)));
  EXPECT_TRUE(read.ok());
  return bytes;
}

// What a person would read; empty: nothing was thrown.
std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(StoreTest, ReadsRanges) {
  TestServer server([](const TestAsk& ask) { return range_answer(ask, kBytes); });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));

  EXPECT_EQ(object->size(), Bytes{100'000});
  EXPECT_EQ(object->version().tag, "\"one\"");
  EXPECT_EQ(read_part(*object, 0, 10), kBytes.substr(0, 10));
  EXPECT_EQ(read_part(*object, 99'990, 10), kBytes.substr(99'990));
  EXPECT_EQ(read_part(*object, 100, 50'000), kBytes.substr(100, 50'000));
}

TEST(StoreTest, FetchesNoMoreThanItIsAskedFor) {
  TestServer server([](const TestAsk& ask) { return range_answer(ask, kBytes); });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));

  read_part(*object, 5000, 1000);

  EXPECT_EQ(server.sent(), 1001);
}

TEST(StoreTest, KeepsItsConnection) {
  TestServer server([](const TestAsk& ask) { return range_answer(ask, kBytes); });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));

  for (int i = 0; i < 20; ++i) {
    read_part(*object, i * 100, 100);
  }

  EXPECT_EQ(server.connected(), 1);
}

TEST(StoreTest, RefusesWhatLiesOutside) {
  TestServer server([](const TestAsk& ask) { return range_answer(ask, kBytes); });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));
  std::array<std::byte, 10> room{};

  EXPECT_FALSE(object->read(Bytes{99'991}, room).ok());
  EXPECT_FALSE(object->read(Bytes{-1}, room).ok());
}

TEST(StoreTest, ReadsASmallObjectOfAServerWithoutRanges) {
  TestServer server([](const TestAsk&) { return plain_answer(200, "ETag: \"one\"\r\n", kBytes); });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));

  EXPECT_EQ(read_part(*object, 5000, 1000), kBytes.substr(5000, 1000));
}

TEST(StoreTest, ReadsRangesThatAreCalledWholeObjects) {
  TestServer server([](const TestAsk& ask) {
    TestAnswer answer = range_answer(ask, kBytes);
    answer.head.replace(answer.head.find("206"), 3, "200");
    return answer;
  });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));

  EXPECT_EQ(object->size(), Bytes{100'000});
  EXPECT_EQ(read_part(*object, 5000, 1000), kBytes.substr(5000, 1000));
}

TEST(StoreTest, DoesNotReadALargeObjectOfAServerWithoutRanges) {
  TestServer server([](const TestAsk&) {
    return TestAnswer{.head = "HTTP/1.1 200 OK\r\nContent-Length: 70000000000\r\n",
                      .body = kBytes,
                      .is_endless = true};
  });

  EXPECT_THAT(error_of([&] { StoredObject::open(quick_store(), server.url("/x.tar")); }),
              HasSubstr("does not answer requests for a range"));
}

TEST(StoreTest, KnowsAnEmptyObject) {
  TestServer server([](const TestAsk& ask) { return range_answer(ask, ""); });

  EXPECT_EQ(StoredObject::open(quick_store(), server.url("/x.tar"))->size(), Bytes{0});
}

// What a server may do once and then no more.
struct StoreFault {
  const char* name;
  TestAnswer (*answer)(const TestAsk& ask);
};

TestAnswer good(const TestAsk& ask) {
  return range_answer(ask, kBytes);
}

const std::vector<StoreFault> kFaults = {
    {"cut_body",
     [](const TestAsk& ask) {
       TestAnswer answer = good(ask);
       answer.cut_after = answer.body.size() / 2;
       return answer;
     }},
    {"cut_head", [](const TestAsk&) { return TestAnswer{.head = "HTTP/1.1 20", .cut_after = 0}; }},
    {"hung_up", [](const TestAsk&) { return TestAnswer{.cut_after = 0}; }},
    {"no_http", [](const TestAsk&) { return TestAnswer{.head = "220 ftp\r\n", .cut_after = 0}; }},
    {"stall",
     [](const TestAsk& ask) {
       TestAnswer answer = good(ask);
       answer.cut_after = answer.body.size() / 2;
       answer.stalls = true;
       return answer;
     }},
    {"silence", [](const TestAsk&) { return TestAnswer{.stalls = true}; }},
    {"status_500", [](const TestAsk&) { return plain_answer(500, "", "oops"); }},
    {"status_503", [](const TestAsk&) { return plain_answer(503, "Retry-After: 0\r\n", "later"); }},
    {"status_429", [](const TestAsk&) { return plain_answer(429); }},
    {"other_range",
     [](const TestAsk& ask) {
       TestAsk other = ask;
       ++other.range->first;
       ++other.range->second;
       return range_answer(other, kBytes);
     }},
    {"shorter_range",
     [](const TestAsk& ask) {
       TestAnswer answer = good(ask);
       answer.body.pop_back();
       answer.head = fmt::format(
           "HTTP/1.1 206 X\r\nContent-Length: {}\r\nContent-Range: bytes {}-{}/100000\r\n",
           answer.body.size(),
           ask.range->first,
           ask.range->second);
       return answer;
     }},
    {"longer_body",
     [](const TestAsk& ask) {
       TestAnswer answer = good(ask);
       answer.head = fmt::format("HTTP/1.1 206 X\r\nContent-Range: bytes {}-{}/100000\r\n",
                                 ask.range->first,
                                 ask.range->second);
       answer.body += "more";
       answer.cut_after = answer.body.size();
       return answer;
     }},
    {"endless_body",
     [](const TestAsk& ask) {
       TestAnswer answer = good(ask);
       answer.head = fmt::format("HTTP/1.1 206 X\r\nContent-Range: bytes {}-{}/100000\r\n",
                                 ask.range->first,
                                 ask.range->second);
       answer.is_endless = true;
       return answer;
     }},
    {"endless_head",
     [](const TestAsk&) {
       TestAnswer answer{.head = "HTTP/1.1 206 X\r\n", .cut_after = 0};
       for (int i = 0; i < 2000; ++i) {
         answer.head += fmt::format("X-{}: {}\r\n", i, std::string(100, 'x'));
       }
       return answer;
     }},
    {"whole_object", [](const TestAsk&) { return plain_answer(200, "ETag: \"one\"\r\n", kBytes); }},
};

class StoreFaultTest : public ::testing::TestWithParam<StoreFault> {};

TEST_P(StoreFaultTest, PassesWhenItHappensOnceToEach) {
  TestServer server(
      [&](const TestAsk& ask) { return ask.number % 2 == 1 ? GetParam().answer(ask) : good(ask); });

  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));
  // 200 is an answer too: then the second request is the next read.
  EXPECT_EQ(read_part(*object, 5000, 1000), kBytes.substr(5000, 1000));
  EXPECT_EQ(read_part(*object, 70'000, 30'000), kBytes.substr(70'000, 30'000));
}

INSTANTIATE_TEST_SUITE_P(Once, StoreFaultTest, ::testing::ValuesIn(kFaults), [](const auto& one) {
  return std::string(one.param.name);
});

class StoreFaultForeverTest : public ::testing::TestWithParam<StoreFault> {};

TEST_P(StoreFaultForeverTest, EndsInBoundedTimeWithAReason) {
  TestServer server(
      [&](const TestAsk& ask) { return ask.number == 1 ? good(ask) : GetParam().answer(ask); });
  StoreOptions options = quick_options();
  options.timeout = Seconds(0.2);
  const auto object = StoredObject::open(std::make_shared<Store>(options), server.url("/x.tar"));
  const Clock::time_point start = Clock::now();

  const std::string error = error_of([&] { read_part(*object, 5000, 1000); });

  const bool is_fine = std::string_view(GetParam().name) == "whole_object";
  EXPECT_EQ(error.empty(), is_fine);
  if (!is_fine) {
    EXPECT_THAT(error, AllOf(HasSubstr(server.url("/x.tar")), HasSubstr("gave up after")));
  }
  EXPECT_LT(seconds_since(start), Seconds(10));
}

INSTANTIATE_TEST_SUITE_P(Forever,
                         StoreFaultForeverTest,
                         ::testing::ValuesIn(kFaults),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(StoreTest, WaitsAsLongAsTheServerAsks) {
  TestServer server([](const TestAsk& ask) {
    return ask.number == 1 ? plain_answer(503, "Retry-After: 1\r\n") : good(ask);
  });
  const Clock::time_point start = Clock::now();

  StoredObject::open(quick_store(), server.url("/x.tar"));

  EXPECT_GE(seconds_since(start), Seconds(0.99));
}

TEST(StoreTest, SaysThatTheObjectChanged) {
  std::atomic<bool> is_changed = false;
  TestServer server([&](const TestAsk& ask) {
    return range_answer(ask, kBytes, is_changed ? "\"two\"" : "\"one\"");
  });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));
  is_changed = true;

  EXPECT_THAT(error_of([&] { read_part(*object, 0, 10); }),
              AllOf(HasSubstr("changed on the server"), HasSubstr("start the run again")));
  EXPECT_EQ(server.asked(), 2);
}

TEST(StoreTest, SaysThatTheObjectHasAnotherSize) {
  std::atomic<bool> is_changed = false;
  TestServer server([&](const TestAsk& ask) {
    return range_answer(ask, std::string_view(kBytes).substr(0, is_changed ? 90'000 : 100'000), "");
  });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));
  is_changed = true;

  EXPECT_THAT(error_of([&] { read_part(*object, 0, 10); }), HasSubstr("changed on the server"));
}

TEST(StoreTest, AsksNoSecondTimeForWhatIsNotThere) {
  TestServer server([](const TestAsk&) { return plain_answer(404); });

  EXPECT_THAT(error_of([&] { StoredObject::open(quick_store(), server.url("/x.tar")); }),
              AllOf(HasSubstr("/x.tar"), HasSubstr("not found")));
  EXPECT_EQ(server.asked(), 1);
}

TEST(StoreTest, RefusesWhatIsPacked) {
  TestServer server([](const TestAsk& ask) {
    TestAnswer answer = good(ask);
    answer.head += "Content-Encoding: gzip\r\n";
    return answer;
  });

  EXPECT_THAT(error_of([&] { StoredObject::open(quick_store(), server.url("/x.tar")); }),
              HasSubstr("(gzip)"));
  EXPECT_EQ(server.asked(), 1);
}

TEST(StoreTest, AsksForBytesAsTheyAre) {
  std::atomic<bool> asks_plain = false;
  TestServer server([&](const TestAsk& ask) {
    asks_plain = ask.headers.at("accept-encoding") == "identity";
    return good(ask);
  });

  StoredObject::open(quick_store(), server.url("/x.tar"));

  EXPECT_TRUE(asks_plain);
}

TEST(StoreTest, FollowsRedirects) {
  TestServer server([](const TestAsk& ask) {
    return ask.path == "/x.tar" ? plain_answer(302, "Location: /elsewhere\r\n") : good(ask);
  });
  const auto object = StoredObject::open(quick_store(), server.url("/x.tar"));

  EXPECT_EQ(read_part(*object, 10, 10), kBytes.substr(10, 10));
}

TEST(StoreTest, DoesNotFollowARedirectToAFile) {
  TestServer server(
      [](const TestAsk&) { return plain_answer(302, "Location: file:///etc/hostname\r\n"); });

  EXPECT_THAT(error_of([&] { StoredObject::open(quick_store(), server.url("/x.tar")); }),
              HasSubstr("neither http:// nor https://"));
}

TEST(StoreTest, DoesNotFollowRedirectsForever) {
  TestServer server([](const TestAsk&) { return plain_answer(302, "Location: /x.tar\r\n"); });

  EXPECT_THAT(error_of([&] { StoredObject::open(quick_store(), server.url("/x.tar")); }),
              HasSubstr("redirected more than 5 times"));
}

TEST(StoreTest, GivesUpWhereNobodyListens) {
  std::string url;
  {
    TestServer server([](const TestAsk& ask) { return good(ask); });
    url = server.url("/x.tar");
  }
  StoreOptions options = quick_options();
  options.open_timeout = Seconds(0.1);

  EXPECT_THAT(error_of([&] { StoredObject::open(std::make_shared<Store>(options), url); }),
              AllOf(HasSubstr("gave up after"), HasSubstr("data.store_timeout")));
}

TEST(StoreTest, AStopEndsTheWaiting) {
  TestServer server(
      [](const TestAsk& ask) { return ask.number == 1 ? good(ask) : TestAnswer{.stalls = true}; });
  std::stop_source stop;
  StoreOptions options = quick_options();
  options.timeout = Seconds(600);
  options.http.stall = Seconds(60);
  options.stop = stop.get_token();
  const auto object = StoredObject::open(std::make_shared<Store>(options), server.url("/x.tar"));
  const Clock::time_point start = Clock::now();

  const std::jthread other = start_thread("stopper", [&](const std::stop_token&) {
    while (server.asked() < 2) {
      std::this_thread::yield();
    }
    stop.request_stop();
  });
  const std::string error = error_of([&] { read_part(*object, 0, 10); });

  EXPECT_THAT(error, HasSubstr("stopped"));
  EXPECT_LT(seconds_since(start), Seconds(10));
}

// An S3 server that wants to know who asks.
class SecretStoreTest : public ::testing::Test {
 protected:
  static constexpr const char* kSecret = "wJalrXUtnFEMI/very-secret";
  static constexpr const char* kToken = "session-token-that-is-secret";

  static TestAnswer answer(const TestAsk& ask) {
    const auto found = ask.headers.find("authorization");
    if (found == ask.headers.end() || !ask.headers.contains("x-amz-security-token")) {
      return plain_answer(403, "", "<Error>no</Error>");
    }
    return ask.path == "/bucket/x.tar" ? good(ask) : plain_answer(404);
  }

  StoreOptions options(const TestServer& server) const {
    StoreOptions options = quick_options();
    options.aws = {
        .credentials =
            AwsCredentials{.key_id = "AKIDEXAMPLE", .secret = kSecret, .session_token = kToken},
        .endpoint = server.url("")};
    return options;
  }
};

TEST_F(SecretStoreTest, SignsItsRequests) {
  TestServer server(answer);
  const auto object =
      StoredObject::open(std::make_shared<Store>(options(server)), "s3://bucket/x.tar");

  EXPECT_EQ(read_part(*object, 10, 10), kBytes.substr(10, 10));
}

TEST_F(SecretStoreTest, TellsNobodyElse) {
  std::atomic<bool> was_told = false;
  TestServer other([&](const TestAsk& ask) {
    was_told = was_told || ask.headers.contains("authorization") ||
               ask.headers.contains("x-amz-security-token");
    return good(ask);
  });
  TestServer server([&](const TestAsk&) {
    return plain_answer(307, fmt::format("Location: {}\r\n", other.url("/x.tar")));
  });

  StoredObject::open(std::make_shared<Store>(options(server)), "s3://bucket/x.tar");

  EXPECT_GT(other.asked(), 0);
  EXPECT_FALSE(was_told);
}

TEST_F(SecretStoreTest, SaysNoSecretInAnyError) {
  for (const int status : {301, 307, 400, 401, 403, 404, 416, 500}) {
    TestServer server([&](const TestAsk&) {
      return plain_answer(status, fmt::format("Location: ftp://{}@host/\r\n", kSecret), kSecret);
    });
    StoreOptions impatient = options(server);
    impatient.open_timeout = Seconds(0.02);

    const std::string error = error_of(
        [&] { StoredObject::open(std::make_shared<Store>(impatient), "s3://bucket/x.tar"); });

    EXPECT_THAT(error, HasSubstr("s3://bucket/x.tar")) << status;
    EXPECT_THAT(error, AllOf(Not(HasSubstr(kSecret)), Not(HasSubstr(kToken)))) << status;
    EXPECT_THAT(error, AllOf(Not(HasSubstr("AKID")), Not(HasSubstr("Signature")))) << status;
  }
}

TEST(StoreTest, TakesPasswordsFromNetrc) {
  const TemporaryFolder home;
  write_text_file(home.path() / ".netrc", "machine 127.0.0.1 login me password word\n");
  const char* const before = std::getenv("HOME");
  const std::string old = before != nullptr ? before : "/";
  ::setenv("HOME", home.path().c_str(), 1);
  TestServer server([](const TestAsk& ask) {
    const auto found = ask.headers.find("authorization");
    const bool is_known = found != ask.headers.end() && found->second == "Basic bWU6d29yZA==";
    return is_known ? good(ask) : plain_answer(401);
  });

  const std::string error =
      error_of([&] { StoredObject::open(quick_store(), server.url("/x.tar")); });

  ::setenv("HOME", old.c_str(), 1);
  EXPECT_EQ(error, "");
}

TEST(StoreTest, CountsItsTraffic) {
  TestServer server(
      [](const TestAsk& ask) { return ask.number == 2 ? plain_answer(500) : good(ask); });
  const auto store = quick_store();
  const auto object = StoredObject::open(store, server.url("/x.tar"));
  read_part(*object, 0, 1000);

  const StoreTraffic traffic = store->traffic();

  EXPECT_EQ(traffic.requests, 3);
  EXPECT_EQ(traffic.repeated, 1);
  EXPECT_EQ(traffic.received, Bytes{1001});
}

}  // namespace
}  // namespace qanat
