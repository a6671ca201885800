#include "text/child_process.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace qanat {
namespace {

using namespace std::chrono_literals;

Clock::time_point soon() {
  return Clock::now() + 10s;
}

TEST(ChildProcessTest, AnswersLineByLine) {
  const std::array<std::string, 1> command = {"cat"};
  Result<ChildProcess> process = ChildProcess::start(command);
  ASSERT_TRUE(process);

  ASSERT_TRUE(process.value().write("one\ntwo\n", soon()));

  EXPECT_EQ(process.value().read_line(soon()).value(), "one");
  EXPECT_EQ(process.value().read_line(soon()).value(), "two");
}

TEST(ChildProcessTest, AMissingProgramIsAFailure) {
  const std::array<std::string, 1> command = {"no-such-program-here"};

  const Result<ChildProcess> process = ChildProcess::start(command);

  ASSERT_FALSE(process);
  EXPECT_EQ(process.failure().what,
            "no-such-program-here: cannot start: No such file or directory");
}

TEST(ChildProcessTest, AProgramThatDoesNotAnswerIsLeftAtTheDeadline) {
  const std::array<std::string, 2> command = {"sleep", "600"};
  Result<ChildProcess> process = ChildProcess::start(command);
  ASSERT_TRUE(process);
  const Clock::time_point start = Clock::now();

  const Result<std::string> line = process.value().read_line(Clock::now() + 50ms);

  EXPECT_FALSE(line);
  EXPECT_LT(seconds_since(start), 5s);
}

TEST(ChildProcessTest, ALineThatDoesNotEndIsAFailureBeforeTheMemoryIsFull) {
  const std::array<std::string, 3> command = {"sh", "-c", "tr '\\0' x < /dev/zero"};
  Result<ChildProcess> process = ChildProcess::start(command);
  ASSERT_TRUE(process);

  const Result<std::string> line = process.value().read_line(Clock::now() + 60s);

  ASSERT_FALSE(line);
  EXPECT_EQ(line.failure().what, "the program's line does not end");
}

TEST(ChildProcessTest, AProgramThatReadsNothingIsLeftAtTheDeadline) {
  const std::array<std::string, 2> command = {"sleep", "600"};
  Result<ChildProcess> process = ChildProcess::start(command);
  ASSERT_TRUE(process);

  EXPECT_FALSE(process.value().write(std::string(8'000'000, 'x'), Clock::now() + 50ms));
}

TEST(ChildProcessTest, AProgramThatEndedGivesItsLastLineAndThenFails) {
  const std::array<std::string, 2> command = {"echo", "bye"};
  Result<ChildProcess> process = ChildProcess::start(command);
  ASSERT_TRUE(process);

  EXPECT_EQ(process.value().read_line(soon()).value(), "bye");
  EXPECT_FALSE(process.value().read_line(soon()));
}

TEST(ChildProcessTest, WritingToAProgramThatEndedFailsWithoutASignal) {
  const std::array<std::string, 1> command = {"true"};
  Result<ChildProcess> process = ChildProcess::start(command);
  ASSERT_TRUE(process);
  ASSERT_FALSE(process.value().read_line(soon()));  // has ended

  EXPECT_FALSE(process.value().write("hello\n", soon()));
}

}  // namespace
}  // namespace qanat
