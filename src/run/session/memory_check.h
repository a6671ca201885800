// Whether a run fits the memory of its devices, asked before it starts, and what would fit.
//
// Pure functions. What a model takes is an estimate from measurements (docs/en/sizing.md); what the
// ring takes is exact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/device_plan.h"
#include "base/quantity.h"
#include "batch/batch.h"
#include "batch/bucket_edges.h"
#include "config/run_config.h"
#include "locale/translator.h"
#include "monitor/host_facts.h"
#include "transfer/transfer_ring.h"

namespace qanat {

// What training a model of a size takes.
struct ModelMemory {
  Bytes held;       // weights, their EMA, gradient, two moments
  Bytes per_frame;  // for the backward pass, of one padded mel frame of a row
};

ModelMemory model_memory(ModelSize size);
ModelMemory vocoder_memory(ModelSize size);

// What a run wants of its devices.
struct MemoryNeed {
  ModelMemory model;
  RingOptions ring;
  BatchShape largest;
  PayloadFormat payload{};  // of the slots of the ring

  Bytes batch() const;     // activations of the largest batch
  Bytes on_model() const;  // model, ring and batch
  Bytes on_data() const;   // ring
};

MemoryNeed memory_need(const RunConfig& config, const RingOptions& ring, const BucketEdges& edges);

// The same run with other numbers: rows of the largest batch, slots of the ring.
MemoryNeed with_rows(MemoryNeed need, int rows);
MemoryNeed with_slots(MemoryNeed need, int slots);

// The most rows that fit; 0 when not even one does.
int fitting_rows(const MemoryNeed& need, Bytes limit);

// What is wrong, with the flags and the numbers that would fit; nothing when it fits or there is no
// limit.
std::optional<Message> memory_problem(const MemoryNeed& need,
                                      const DevicePlan& plan,
                                      const std::optional<Bytes>& model_limit,
                                      const std::optional<Bytes>& data_limit);

// On the processor nothing fails when memory runs out: the kernel ends the run without a word. So
// what can never fit throws Error, and what does not fit into what is free now is a note.
std::optional<Message> check_host_memory(const MemoryNeed& need,
                                         const DevicePlan& plan,
                                         const HostFacts& host);

// libtorch hangs where it may not start its threads for lack of addresses. So a limit below what
// any run takes (`ulimit -v`) throws Error.
void check_address_space(const std::optional<Bytes>& limit);
// What the kernel grants this process; nothing: all it has.
std::optional<Bytes> address_space_limit();

// What to choose on a card of some size.
struct MemoryAdvice {
  int card_gb = 0;
  ModelSize size = ModelSize::tiny;
  int model_gpu_memory = 0;  // MB: what the driver and libtorch leave
  int batch_size = 0;        // most utterances of the longest allowed shape; 0: none fits
};

// For every size of model, on the cards that are common: 12, 16 and 24 GB.
std::vector<MemoryAdvice> memory_table(const RunConfig& config);
std::string render_memory_table(const std::vector<MemoryAdvice>& table, const Translator& words);
nlohmann::json to_json(const std::vector<MemoryAdvice>& table);

}  // namespace qanat
