#include "training/replica_agreement.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/content_hash.h"
#include "base/files.h"
#include "config/field_list.h"
#include "dataset/training_sets.h"
#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

// Paths that decide something by being there. What lies behind them is compared by itself, or read
// by rank 0 for all.
constexpr std::array<std::string_view, 3> kPathsThatDecide = {
    "data.val_data", "training.init_from", "vocoder.mel_from"};

// What may differ, because nothing that is computed depends on it.
constexpr std::array<std::string_view, 32> kOfOneProcess = {
    // Where things lie. The data set behind it is compared by itself.
    "data.train_data",
    "data.feature_dir",
    "data.cache_dir",
    "data.store_cache_dir",
    "training.checkpoint_dir",
    "training.evaluation_sentences",
    "training.name",
    "training.tensorboard_dir",
    // How a machine makes its batches, and on which devices: their contents are the same.
    "data.num_workers",
    "data.store_timeout",
    "data.store_requests",
    "data.store_cache",
    "data.pipeline_buffer_size",
    "data.prefetch_buffer_size",
    "data.model_start_delay",
    "data.prefetch_to_gpu",
    "data.enhanced_gpu_prefetch",
    "data.optimize_cpu_gpu_overlap",
    "data.use_tf_native_loading",
    "data.data_gpu",
    "data.model_gpu",
    "pipeline.memory_budget",
    "pipeline.feature_cache",
    "pipeline.virtual_gpus",
    "pipeline.virtual_gpu_memory",
    "pipeline.enable_memory_isolation",
    "pipeline.data_gpu_memory",
    "pipeline.model_gpu_memory",
    "pipeline.allow_fallback",
    // What a process shows of itself.
    "training.log_every",
    "training.tensorboard",
    "pipeline.monitor_every",
};

std::string as_shown(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string as_hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

const char* name_of(Precision precision) {
  switch (precision) {
    case Precision::single:
      return "f32";
    case Precision::bf16:
      return "bf16";
    case Precision::fp16:
      return "fp16";
  }
  return "f32";
}

nlohmann::json hash_of_file(const std::filesystem::path& path) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return nullptr;  // a damaged file is replaced where it is read, and no other data set
  }
  const std::span<const std::byte> bytes = file.value().bytes();
  return as_hex(content_hash(bytes.first(std::min(bytes.size(), kMaxBytes)), bytes.size()));
}

// The texts of all utterances, and the bytes of some recordings.
void add_content(const UtteranceSet& set, std::vector<SharedFact>& facts) {
  constexpr std::size_t kMaxFiles = 16;
  const std::vector<Utterance>& utterances = set.manifest.utterances;
  ContentHasher texts;
  for (const Utterance& utterance : utterances) {
    texts.add(utterance.id).add(utterance.text).add(utterance.speaker);
    texts.add(language_number(utterance.language));
  }
  facts.push_back({.name = msg::fact_texts{}, .value = as_hex(texts.value())});
  const std::size_t count = std::min(kMaxFiles, utterances.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Utterance& utterance = utterances[i * utterances.size() / count];
    facts.push_back({.name = msg::fact_audio{.file = utterance.audio},
                     .value = hash_of_file(set.manifest.root / utterance.audio)});
  }
}

}  // namespace

void check_same(ProcessGroup& group, const std::vector<SharedFact>& facts) {
  nlohmann::json own = nlohmann::json::array();
  for (const SharedFact& fact : facts) {
    own.push_back(fact.value);
  }
  std::vector<nlohmann::json> all;
  for (const std::string& text :
       group.gather_texts(own.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) {
    all.push_back(nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false));
  }
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    const std::string host = group.host(static_cast<int>(rank));
    if (all[rank].size() != all[0].size()) {
      throw MessageError(msg::replicas_other_version{.rank = rank, .host = host});
    }
    for (std::size_t i = 0; i < std::min(facts.size(), all[0].size()); ++i) {
      const nlohmann::json& theirs = all[rank][i];
      const nlohmann::json& ours = all[0][i];
      if (theirs != ours && !theirs.is_null() && !ours.is_null()) {
        throw MessageError(msg::replicas_differ{.setting = facts[i].name,
                                                .theirs = as_shown(theirs),
                                                .rank = rank,
                                                .host = host,
                                                .ours = as_shown(ours)});
      }
    }
  }
}

Agreement agreement_of(std::string_view key) {
  const auto is_in = [&](const auto& keys) { return std::ranges::find(keys, key) != keys.end(); };
  return is_in(kOfOneProcess)      ? Agreement::none
         : is_in(kPathsThatDecide) ? Agreement::same_if_set
                                   : Agreement::same;
}

std::vector<std::string_view> listed_keys() {
  std::vector<std::string_view> keys(kOfOneProcess.begin(), kOfOneProcess.end());
  keys.insert(keys.end(), kPathsThatDecide.begin(), kPathsThatDecide.end());
  return keys;
}

std::vector<SharedFact> setting_facts(const RunConfig& config) {
  std::vector<SharedFact> facts;
  for (const FieldEntry& field : list_fields(config)) {
    const Agreement agreement = agreement_of(field.key);
    if (agreement == Agreement::same) {
      facts.push_back({.name = field.key, .value = field.value});
    } else if (agreement == Agreement::same_if_set) {
      const bool is_set = field.value != field.spec.unset_word;
      facts.push_back(
          {.name = field.key, .value = is_set ? "set" : std::string(field.spec.unset_word)});
    }
  }
  return facts;
}

void check_same_run(ProcessGroup& group, const RunToCompare& run) {
  if (group.rank().world == 1) {
    return;
  }
  std::vector<SharedFact> facts = {
      {.name = msg::fact_utterances{}, .value = run.identity.utterances}};
  add_content(*run.inputs.train, facts);
  facts.push_back({.name = msg::fact_plan{}, .value = as_hex(run.identity.plan)});
  facts.push_back({.name = msg::fact_validation{},
                   .value = run.identity.validation ? as_hex(*run.identity.validation) : "none"});
  if (run.inputs.validation && run.identity.validation) {
    add_content(*run.inputs.validation, facts);
  }
  facts.push_back({.name = msg::fact_network{}, .value = as_hex(content_hash(run.network.dump()))});
  facts.push_back({.name = msg::fact_precision{}, .value = name_of(run.precision)});
  check_same(group, facts);
}

void check_same_validation(ProcessGroup& group, const TrainTask& task) {
  check_same(group,
             {{.name = msg::fact_can_validate{}, .value = task.has_validation() ? "yes" : "no"}});
}

}  // namespace qanat
