// What processes that train together settle before the first step: who uses which cores, who reads
// the data set first, and that all have the same weights.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include <nlohmann/json.hpp>

#include "checkpoint/checkpoint.h"
#include "dataset/dataset_index.h"
#include "replicas/process_group.h"
#include "train/train_observer.h"
#include "train/train_task.h"

namespace qanat {

// All of these are collective.

// Takes a share of the cores where processes of this machine were left to use the same ones. The
// threads that are started later inherit it.
// `observer` is told where there are fewer cores than processes; null: the launcher has said so.
void divide_cores(ProcessGroup& group, TrainObserver* observer);

// Runs `load` in the first process of each machine, then in the others, which find what it stored.
// It returns whether it was done; one that was not is not waited for. Where the first ones have
// stored all that they know of the files, the others need not ask every file again.
enum class Loaded { no, yes, and_stored };
void take_turns(ProcessGroup& group, int local_rank, const std::function<Loaded(FileCheck)>& load);

// Gives everybody what the checkpoint of rank 0 holds apart from tensors: the others may be on
// machines that do not have it.
void share_checkpoint(ProcessGroup& group, std::optional<LoadedCheckpoint>& loaded);

// A path as part of a text that is shared; and back.
nlohmann::json shared_path(const std::filesystem::path& path);
std::filesystem::path to_path(const nlohmann::json& shared);

// All begin with what rank 0 has, bit by bit. On the stream the weights belong to.
void share_weights(ProcessGroup& group, const TrainTask& task);

}  // namespace qanat
