// Who is spoken for when, and what becomes of those who leave, do not read, or are too many.
#include <algorithm>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/thread.h"
#include "voice_server/voice_server.h"
#include "voice_server/voice_testing.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Waits until the metrics contain `line`.
void wait_for_metric(const VoiceServer& server, const std::string& line) {
  while (server.metrics_text().find(line) == std::string::npos) {
    std::this_thread::yield();
  }
}

UniqueFd send_speech(const VoiceServer& server, const std::string& text) {
  UniqueFd fd = connect_to(server.port());
  send_text(fd,
            speech_request(R"({"response_format":"pcm","input":")" + text + "\"}", server.port()));
  return fd;
}

std::string many_words(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += "w ";
  }
  return text;
}

TEST(VoiceServerTest, RequestsTakeTurnsPartByPart) {
  WordEngine engine;
  engine.hold();
  const VoiceServer server({.workers = 1}, engine);
  const UniqueFd one = send_speech(server, "a1 a2 a3");
  engine.wait_for_waiting(1);  // the first is at its first word
  const UniqueFd two = send_speech(server, "b1 b2 b3");
  wait_for_metric(server, "qanat_voice_jobs 2\n");

  engine.release();

  EXPECT_TRUE(unchunked(receive_until(one, "")));
  EXPECT_TRUE(unchunked(receive_until(two, "")));
  EXPECT_THAT(engine.spoken(), ElementsAre("a1", "b1", "a2", "b2", "a3", "b3"));
}

TEST(VoiceServerTest, WhoLeavesIsNotSpokenForAnyMore) {
  WordEngine engine;
  engine.hold();
  const VoiceServer server({.workers = 1}, engine);
  UniqueFd fd = send_speech(server, many_words(1000));
  engine.wait_for_waiting(1);

  fd.reset();
  wait_for_metric(server, "qanat_voice_clients 0\n");
  engine.release();

  wait_for_metric(server, "outcome=\"cancelled\"} 1\n");
  EXPECT_LE(engine.spoken().size(), 1U);
  EXPECT_THAT(server.metrics_text(), HasSubstr("qanat_voice_jobs 0\n"));
}

TEST(VoiceServerTest, WhoDoesNotReadHoldsBackItselfOnlyAndIsDropped) {
  WordEngine engine(24000);
  const VoiceServer server({.workers = 1, .limits = {.unread = Seconds(0.2)}}, engine);
  const UniqueFd lazy = send_speech(server, many_words(2000));  // 96 MB

  const std::string answer = ask_speech(server.port(), R"({"input":"b","response_format":"pcm"})");

  EXPECT_TRUE(unchunked(answer));
  wait_for_metric(server, "qanat_voice_clients_slow_total 1\n");
  wait_for_metric(server, "outcome=\"cancelled\"} 1\n");
  // What fits into the buffers of both sides and no more.
  EXPECT_LT(engine.spoken().size(), 200U);
}

TEST(VoiceServerTest, ASlowReaderGetsEverything) {
  WordEngine engine(24000);
  const VoiceServer server({.workers = 1}, engine);
  const UniqueFd fd = send_speech(server, many_words(60));

  engine.wait_for_words(8);  // more than the buffers hold; then it reads

  const std::optional<std::string> sound = unchunked(receive_until(fd, ""));
  ASSERT_TRUE(sound);
  EXPECT_NEAR(static_cast<double>(sound->size()), 60 * 2 * 24000 * 24000.0 / 22050, 16);
}

TEST(VoiceServerTest, TooManyRequestsAreRefused) {
  WordEngine engine;
  engine.hold();
  const VoiceServer server({.workers = 1, .limits = {.jobs = 2}}, engine);
  const UniqueFd one = send_speech(server, "a");
  const UniqueFd two = send_speech(server, "b");
  wait_for_metric(server, "qanat_voice_jobs 2\n");

  const std::string answer = ask_speech(server.port(), R"({"input":"c"})");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
  engine.release();
  EXPECT_TRUE(unchunked(receive_until(two, "")));
}

TEST(VoiceServerTest, TooManyClientsAreRefused) {
  const WordEngine engine;
  const VoiceServer server({.limits = {.clients = 1}}, engine);
  const UniqueFd first = connect_to(server.port());
  wait_for_metric(server, "qanat_voice_clients 1\n");

  EXPECT_THAT(receive_until(connect_to(server.port()), ""), StartsWith("HTTP/1.1 503"));
}

TEST(VoiceServerTest, WhoWaitsTooLongForAWorkerIsTold) {
  WordEngine engine;
  engine.hold();
  constexpr Seconds kWait{0.05};
  const VoiceServer server({.workers = 1, .limits = {.wait = kWait}}, engine);
  const UniqueFd one = send_speech(server, "a");
  engine.wait_for_waiting(1);
  const UniqueFd late = send_speech(server, "b");
  wait_for_metric(server, "qanat_voice_jobs 2\n");
  for (const Clock::time_point begin = Clock::now(); seconds_since(begin) <= kWait;) {
    std::this_thread::yield();
  }

  engine.release();

  EXPECT_THAT(receive_until(late, ""), StartsWith("HTTP/1.1 503"));
  EXPECT_TRUE(unchunked(receive_until(one, "")));
  EXPECT_THAT(server.metrics_text(), HasSubstr("outcome=\"expired\"} 1\n"));
}

TEST(VoiceServerTest, OneClientWithManyRequestsGetsNoMoreThanOneWithOne) {
  class Job : public SpeechJob {
   public:
    Job(std::vector<std::string>& made, std::string name, int parts)
        : made_(made), name_(std::move(name)), parts_(parts) {}
    Next make_part(SpeechMaker& /*maker*/) override {
      made_.push_back(name_);  // one worker
      return --parts_ > 0 ? Next::more : Next::done;
    }
    void expire() override {}
    bool is_ready() const override { return open_.load(); }
    bool is_cancelled() const override { return false; }
    void on_cancel() override {}
    void open() { open_ = true; }

   private:
    std::vector<std::string>& made_;
    std::string name_;
    int parts_;
    std::atomic<bool> open_ = false;
  };
  const WordEngine engine;
  std::vector<std::string> made;
  SpeechQueue queue({.workers = 1}, engine);
  std::vector<std::shared_ptr<Job>> jobs;
  for (int i = 0; i < 10; ++i) {
    jobs.push_back(std::make_shared<Job>(made, "greedy", 4));
    ASSERT_TRUE(queue.submit("greedy", jobs.back()));
  }
  jobs.push_back(std::make_shared<Job>(made, "modest", 4));
  ASSERT_TRUE(queue.submit("modest", jobs.back()));

  std::ranges::for_each(jobs, &Job::open);
  queue.look_again();
  while (queue.num_jobs() > 0) {
    std::this_thread::yield();
  }

  const auto last_modest =
      std::ranges::find(made.rbegin(), made.rend(), "modest").base() - made.begin();
  EXPECT_LE(last_modest, 9);  // its four parts are among the first eight, or nearly
  EXPECT_EQ(made.size(), 44U);
}

TEST(VoiceServerTest, EndsWhileClientsAreServed) {
  WordEngine engine(24000);
  std::vector<UniqueFd> clients;
  {
    const VoiceServer server({.workers = 2}, engine);
    for (int i = 0; i < 10; ++i) {
      clients.push_back(send_speech(server, many_words(500)));
    }
    engine.wait_for_words(5);
  }
  for (const UniqueFd& client : clients) {
    EXPECT_FALSE(unchunked(receive_until(client, "")));
  }
}

}  // namespace
}  // namespace qanat
