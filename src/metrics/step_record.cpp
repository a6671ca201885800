#include "metrics/step_record.h"

#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

namespace qanat {
namespace {

nlohmann::json finite_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

double number_or_nan(const nlohmann::json& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

StepRecord read_step(const nlohmann::json& line) {
  StepRecord record{.step = line.at("step").get<std::int64_t>(),
                    .epoch = line.at("epoch").get<std::int64_t>(),
                    .batch = line.at("batch").get<std::int64_t>(),
                    .batches = line.at("batches").get<int>(),
                    .rows = line.at("shape").at(0).get<int>(),
                    .padded_frames = line.at("shape").at(1).get<int>(),
                    .tokens = line.at("shape").at(2).get<int>(),
                    .frames = line.at("frames").get<std::int64_t>(),
                    .earlier_padded = 0,
                    .losses = {},
                    .learning_rate = number_or_nan(line.at("lr")),
                    .gradient_norm = number_or_nan(line.at("grad_norm")),
                    .skipped = line.at("skipped").get<bool>(),
                    .phases = {}};
  visit_losses(record.losses, [&](const char* name, double& value) {
    value = number_or_nan(line.at("losses").at(name));
  });
  visit_phases(record.phases, [&](std::string_view name, Seconds& value) {
    value = Seconds(line.at("phases").at(std::string(name)).get<double>());
  });
  // Older journals have the last batch's shape only: then it stands for all.
  const std::int64_t last = record.all_padded();
  record.earlier_padded = line.value("padded", record.batches * last) - last;
  return record;
}

}  // namespace

StepPhases& StepPhases::operator+=(const StepPhases& other) {
  wait += other.wait;
  transfer += other.transfer;
  forward += other.forward;
  loss += other.loss;
  backward += other.backward;
  retry += other.retry;
  optimizer += other.optimizer;
  checkpoint += other.checkpoint;
  residual += other.residual;
  return *this;
}

StepLosses& StepLosses::operator+=(const StepLosses& other) {
  total += other.total;
  mel += other.mel;
  refined += other.refined;
  prior += other.prior;
  forward_sum += other.forward_sum;
  binarisation += other.binarisation;
  duration += other.duration;
  return *this;
}

Event to_event(const StepRecord& record) {
  nlohmann::json losses;
  visit_losses(record.losses,
               [&](const char* name, double value) { losses[name] = finite_or_null(value); });
  nlohmann::json phases;
  visit_phases(record.phases, [&](std::string_view name, Seconds value) {
    phases[std::string(name)] = value.count();
  });
  return {.kind = "step",
          .fields = {{"step", record.step},
                     {"epoch", record.epoch},
                     {"batch", record.batch},
                     {"batches", record.batches},
                     {"shape", {record.rows, record.padded_frames, record.tokens}},
                     {"frames", record.frames},
                     {"padded", record.all_padded()},
                     {"losses", std::move(losses)},
                     {"lr", finite_or_null(record.learning_rate)},
                     {"grad_norm", finite_or_null(record.gradient_norm)},
                     {"skipped", record.skipped},
                     {"wall", record.phases.total().count()},
                     {"phases", std::move(phases)}}};
}

Result<StepRecord> to_step_record(const nlohmann::json& line) {
  if (!line.is_object() || line.value("kind", "") != "step") {
    return Failure{"journal line: not a step"};
  }
  try {
    return read_step(line);
  } catch (const nlohmann::json::exception& error) {
    return Failure{fmt::format("journal line of a step: {}", error.what())};
  }
}

}  // namespace qanat
