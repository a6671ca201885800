// A command that judges clips: started once by `sh -c`, asked clip by clip, ended with the object.
// What it writes to standard error is shown. Not thread-safe.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "evaluate/judge_protocol.h"
#include "text/child_process.h"

namespace qanat {

struct JudgeCommand {
  std::string command;
  Seconds timeout{300};  // for one answer; the first includes loading its model
};

class Judge {
 public:
  // Throws Error when it cannot be started.
  Judge(JudgeCommand command, JudgeTask task, std::stop_token stop = {});

  // The `id` is the judge's own. A Failure is about this clip, in the command's words; or says soon
  // after a stop that there is no answer. Throws Error when the command ended, did not answer in
  // time, or answered something else.
  Result<JudgeAnswer> ask(JudgeRequest request);

 private:
  Result<std::string> reply(Clock::time_point deadline);

  JudgeCommand command_;
  JudgeTask task_;
  std::stop_token stop_;
  ChildProcess process_;
  std::int64_t asked_ = 0;
};

}  // namespace qanat
