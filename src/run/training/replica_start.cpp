#include "training/replica_start.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/thread.h"
#include "locale/messages/devices.h"
#include "monitor/host_facts.h"
#include "session/run_devices.h"

namespace qanat {

void divide_cores(ProcessGroup& group, TrainObserver* observer) {
  constexpr std::uint64_t kExact = (std::uint64_t{1} << 52U) - 1;  // of a double
  const ProcessRank place = group.rank();
  const std::vector<int> cores = usable_cores(read_host_facts());
  ContentHasher hasher;
  hasher.add(group.host(place.rank));
  for (const int core : cores) {
    hasher.add(core);
  }
  const auto own = static_cast<double>(hasher.value() & kExact);
  const std::vector<double> all = group.all_gather({&own, 1});
  const auto count = static_cast<int>(std::ranges::count(all, own));
  const auto index = static_cast<int>(std::count(all.begin(), all.begin() + place.rank, own));
  if (observer != nullptr && count > static_cast<int>(cores.size()) && index == 0) {
    observer->on_note(msg::replicas_share_cores{.processes = count, .cores = cores.size()});
  }
  if (count > 1) {
    stay_on_cores(cores_of_process(cores, index, count));
  }
}

void take_turns(ProcessGroup& group, int local_rank, const std::function<Loaded(FileCheck)>& load) {
  // Which of the first ones is that of this machine need not be known: all have to have stored it.
  const auto wait_for_first = [&group](double own) {
    const std::vector<double> all = group.all_gather({&own, 1});
    return std::ranges::all_of(all, [](double stored) { return stored != 0; });
  };
  if (local_rank != 0) {
    load(wait_for_first(1) ? FileCheck::unknown_files : FileCheck::every_file);
    return;
  }
  const Loaded loaded = load(FileCheck::every_file);
  if (loaded != Loaded::no) {
    wait_for_first(loaded == Loaded::and_stored ? 1 : 0);
  }
}

// Names of files need not be text, which JSON has to be.
nlohmann::json shared_path(const std::filesystem::path& path) {
  const std::string& name = path.native();
  return std::vector<std::uint8_t>(name.begin(), name.end());
}

std::filesystem::path to_path(const nlohmann::json& shared) {
  const auto bytes = shared.get<std::vector<std::uint8_t>>();
  return std::string(bytes.begin(), bytes.end());
}

void share_checkpoint(ProcessGroup& group, std::optional<LoadedCheckpoint>& loaded) {
  if (group.rank().world == 1) {
    return;
  }
  nlohmann::json own;
  if (loaded) {
    own = {{"folder", shared_path(loaded->folder)}, {"state", loaded->checkpoint.state}};
  }
  const nlohmann::json shared = nlohmann::json::parse(
      group.share(own.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  if (group.rank().rank != 0 && !shared.is_null()) {
    loaded.emplace();
    loaded->folder = to_path(shared.at("folder"));
    loaded->checkpoint.state = shared.at("state");
  }
}

void share_weights(ProcessGroup& group, const TrainTask& task) {
  const torch::NoGradGuard no_grad;
  for (const torch::Tensor& block : blocks_of(task)) {
    group.broadcast(block);
  }
}

}  // namespace qanat
