#include "selftest/dataloader_turns.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "monitor/neighbours.h"

namespace qanat {
namespace {

constexpr Seconds kStartTimeout{60};  // libtorch is large, and may be cold
constexpr Seconds kTurnTimeout{120};

Clock::time_point after(Seconds timeout) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout);
}

Result<nlohmann::json> read_answer_of(ChildProcess& program, Seconds timeout) {
  const Result<std::string> line = program.read_line(after(timeout));
  if (!line) {
    return line.failure();
  }
  nlohmann::json answer = nlohmann::json::parse(line.value(), nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) {
    return Failure{"its answer is not JSON"};
  }
  if (answer.contains("error")) {
    return Failure{answer.at("error").get<std::string>()};
  }
  return answer;
}

}  // namespace

Result<DataLoaderTurns> DataLoaderTurns::start(const DataLoaderRequest& request) {
  if (request.program.empty()) {
    return Failure{"bench/torch_dataloader.py is not beside this program"};
  }
  const std::vector<std::string> command = {request.program.string(),
                                            "--corpus",
                                            request.corpus.string(),
                                            "--batch",
                                            std::to_string(request.batch),
                                            "--workers",
                                            std::to_string(request.workers),
                                            "--pace",
                                            fmt::format("{:.6f}", 1 / request.step.count()),
                                            "--delay",
                                            fmt::format("{:.6f}", request.delay.count()),
                                            "--turns"};
  Result<ChildProcess> program = ChildProcess::start(command);
  if (!program) {
    return program.failure();
  }
  const Result<nlohmann::json> ready = read_answer_of(program.value(), kStartTimeout);
  if (!ready) {
    return ready.failure();
  }
  return DataLoaderTurns(std::move(program).value());
}

Result<FeedTurn> DataLoaderTurns::turn(const TurnLength& length) {
  const NeighbourWatch watch;
  const Result<Done> asked =
      program_.write(fmt::format("{} {}\n", length.warm_up, length.steps), after(kTurnTimeout));
  if (!asked) {
    return asked.failure();
  }
  const Result<nlohmann::json> answer = read_answer_of(program_, kTurnTimeout);
  if (!answer) {
    return answer.failure();
  }
  const nlohmann::json& seen = answer.value();
  const auto number = [&seen](const char* name) { return seen.value(name, 0.0); };
  return FeedTurn{.steps_per_s = number("steps_per_s"),
                  .wait_share = number("wait_share"),
                  .readiness = number("readiness"),
                  .cores = number("cores"),
                  .others_share = watch.others_share(Seconds(number("cpu_s")))};
}

}  // namespace qanat
