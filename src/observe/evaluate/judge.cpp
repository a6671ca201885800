#include "evaluate/judge.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "locale/message_error.h"
#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

[[noreturn]] void judge_failed(const JudgeCommand& command, const Failure& why) {
  throw MessageError(msg::judge_failed{.command = command.command, .why = reason_of(why)});
}

ChildProcess started(const JudgeCommand& command) {
  const std::array<std::string, 3> line = {"/bin/sh", "-c", command.command};
  Result<ChildProcess> process = ChildProcess::start(line, ChildMessages::shown);
  if (!process) {
    judge_failed(command, process.failure());
  }
  return std::move(process).value();
}

}  // namespace

Judge::Judge(JudgeCommand command, JudgeTask task, std::stop_token stop)
    : command_(std::move(command)),
      task_(task),
      stop_(std::move(stop)),
      process_(started(command_)) {}

// Waits a little at a time, so that a stop is noticed; what came of a line is kept meanwhile.
Result<std::string> Judge::reply(Clock::time_point deadline) {
  constexpr std::chrono::milliseconds kTurn(200);
  for (;;) {
    const Clock::time_point until = std::min(deadline, Clock::now() + kTurn);
    Result<std::string> line = process_.read_line(until);
    const bool is_slow = !line && line.failure().message == Message(msg::child_no_answer{});
    if (!is_slow || until == deadline || stop_.stop_requested()) {
      return line;
    }
  }
}

Result<JudgeAnswer> Judge::ask(JudgeRequest request) {
  request.id = ++asked_;
  request.task = task_;
  const Result<std::string> line = to_line(request);
  if (!line) {
    return line.failure();
  }
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(command_.timeout);
  if (const Result<Done> sent = process_.write(line.value() + '\n', deadline); !sent) {
    judge_failed(command_, sent.failure());
  }
  const Result<std::string> answer_line = reply(deadline);
  if (!answer_line && stop_.stop_requested()) {
    return answer_line.failure();
  }
  if (!answer_line) {
    judge_failed(command_, answer_line.failure());
  }
  Result<JudgeAnswer> answer = parse_answer(answer_line.value(), task_);
  if (!answer) {
    judge_failed(command_, answer.failure());
  }
  if (answer.value().id != request.id) {
    judge_failed(command_,
                 to_failure(msg::judge_wrong_id{.got = answer.value().id, .asked = request.id}));
  }
  if (answer.value().error) {
    return to_failure(msg::judge_clip_error{.why = *answer.value().error});
  }
  return answer;
}

}  // namespace qanat
