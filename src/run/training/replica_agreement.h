// What processes that train together have in common: compared before any of them waits for another
// in a step, where a difference would show as a hang, a broken connection or other weights.
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/message.h"
#include "config/run_config.h"
#include "replicas/process_group.h"
#include "train/precision.h"
#include "train/train_task.h"
#include "training/run_identity.h"
#include "training/train_inputs.h"

namespace qanat {

struct SharedFact {
  MessageArg name;       // "training.learning_rate"
  nlohmann::json value;  // null: this process does not know it, and agrees with any
};

// Collective; all processes give the same names in the same order. Throws MessageError, in every
// process, with the first fact of a rank that is not the one of rank 0.
void check_same(ProcessGroup& group, const std::vector<SharedFact>& facts);

// How a key of the configuration is compared. Whatever is not listed in replica_agreement.cpp has
// to be the same everywhere, so a new key is compared.
enum class Agreement {
  same,         // its value
  same_if_set,  // whether it is set: its value is a path of the machine
  none,         // it belongs to one process
};
Agreement agreement_of(std::string_view key);
// Those whose values are not compared.
std::vector<std::string_view> listed_keys();

// Every key that has to agree.
std::vector<SharedFact> setting_facts(const RunConfig& config);

// What a run is beside its settings.
struct RunToCompare {
  const TrainInputs& inputs;
  const RunIdentity& identity;
  nlohmann::json network;  // what a checkpoint says of it
  Precision precision = Precision::single;
};

// As check_same(): the data set with a sample of its contents, the plan of an epoch, what is
// validated on, the network. Reads some files, unless this process is alone.
void check_same_run(ProcessGroup& group, const RunToCompare& run);

// As check_same(): either all can validate, or none.
void check_same_validation(ProcessGroup& group, const TrainTask& task);

}  // namespace qanat
