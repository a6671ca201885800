#include "diagnose/rules.h"

#include <array>

#include "diagnose/rules_batch.h"
#include "diagnose/rules_compute.h"
#include "diagnose/rules_data.h"
#include "diagnose/rules_hardware.h"
#include "diagnose/rules_host.h"
#include "diagnose/rules_pair.h"
#include "diagnose/rules_rhythm.h"
#include "diagnose/rules_storage.h"

namespace qanat {

std::string_view to_string(FindingSeverity severity) {
  switch (severity) {
    case FindingSeverity::info:
      return "info";
    case FindingSeverity::warn:
      return "warn";
    case FindingSeverity::crit:
      return "crit";
  }
  return "unknown";
}

FindingSeverity severity_of(const Gain& gain) {
  const double recoverable = 1 - gain.step_if_fixed / gain.step_now;
  // What could be nothing at all is no warning.
  if (gain.ci95.low <= 1 || recoverable < kWorthMentioning) {
    return FindingSeverity::info;
  }
  return recoverable < kSevere ? FindingSeverity::warn : FindingSeverity::crit;
}

std::span<const Rule> all_rules() {
  constexpr RuleNeeds kNothing = RuleNeeds::nothing;
  static constexpr auto kRules = std::to_array<Rule>({
      {"DL001", "data", "the device waits, and the workers wait for files", slow_storage},
      {"DL002", "data", "the device waits, and cores are idle", too_few_workers},
      {"DL003", "data", "the device waits, and all cores prepare data", workers_at_limit},
      {"DL004", "data", "the device waits, and the workers for each other", lock_convoy},
      {"DL005", "data", "the device waits for work that is uneven", buffer_too_shallow},
      {"DL006", "data", "the device waits, and threads outnumber cores", too_many_workers},
      {"DL007", "data", "time spent on padding", padding_waste},
      {"DL008", "transfer", "copies that could run ahead and do not", copies_not_overlapped},
      {"DL009", "data", "features made again in every epoch", features_made_again},
      {"DL010", "data", "the device waits when epochs begin", slow_epoch_start},
      {"DL011", "data", "a few files that take far longer than others", straggling_files},
      {"DL012", "data", "utterances that could not be used", bad_utterances},
      {"DL013", "data", "workers held up by the machine", held_up_by_machine},
      {"MG003", "transfer", "the device waits for batches on their way to it", transfer_exposed},
      {"CMP001", "compute", "cost of a step that does not depend on the work in it", fixed_cost},
      {"CMP006", "compute", "share of the optimizer", optimizer_share},
      {"CMP007", "compute", "the device waits for checkpoints or logging", saving_exposed},
      {"CMP008", "compute", "steps done twice after running out of memory", memory_retries},
      {"PER001", "rhythm", "a stall every so many steps", periodic_stall},
      {"PER002", "rhythm", "steps that get slower and slower", drift},
      {"PER003", "rhythm", "steps that got slower at one moment", level_shift},
      {"VAR001", "rhythm", "rare long steps", intermittent_stalls},
      {"VAR002", "rhythm", "steps of equal work that take unequal time", jitter},
      {"HOST001", "host", "a quota smaller than what the threads want", quota_too_small, kNothing},
      {"HOST002", "host", "time in which a used-up quota stops the run", quota_throttles},
      {"HOST003", "host", "stalls for want of memory or storage", pressure_stalls},
      {"HOST004", "host", "more threads ready to run than cores", oversubscribed},
      {"HOST005", "host", "other programs on the cores of the trainer", noisy_neighbour, kNothing},
      {"HOST006", "host", "threads far from the GPU's memory node", remote_node, kNothing},
      {"HOST007", "host", "pages that go to the swap area and back", swapping},
      {"HOST008", "host", "cores kept at low clocks by their governor", slow_governor, kNothing},
      {"HOST009",
       "host",
       "less page-locked memory than batches take",
       locked_memory_limit,
       kNothing},
      {"IO001", "storage", "storage slower than training reads", storage_too_slow},
      {"IO002", "storage", "files that come from storage again and again", cache_misses},
      {"IO003", "storage", "data behind a network or an overlay", remote_files, kNothing},
      {"IO004", "storage", "opening files takes longer than reading them", small_files, kNothing},
      {"IO005", "storage", "decoding takes most of the loader's time", decode_dominates},
      {"HW001", "hardware", "a GPU that is there but not used", unused_gpu, kNothing},
      {"HW002", "hardware", "a driver that does not fit", driver_mismatch, kNothing},
      {"HW003", "hardware", "GPU numbers that may name another card", device_order, kNothing},
      {"HW004", "hardware", "clocks below what the GPU could do", clock_limited},
      {"HW005", "hardware", "a link narrower than the card allows", narrow_link},
      {"HW006", "hardware", "errors in the memory of a GPU", memory_errors, kNothing},
      {"HW007", "hardware", "errors reported by the driver, lost GPUs", driver_errors, kNothing},
      {"HW008", "hardware", "other processes on the GPU", shared_gpu, kNothing},
      {"HW009", "hardware", "a GPU whose memory is nearly full", memory_full, kNothing},
      {"HW010", "hardware", "a driver that unloads between runs", persistence_off, kNothing},
      {"MG001", "hardware", "GPUs that cannot copy to each other", no_peer_copies, kNothing},
      {"MG002", "hardware", "copies between GPUs far below their link", slow_peer_copies},
      {"MG008", "hardware", "two GPUs on different sockets", distant_pair, kNothing},
  });
  return kRules;
}

}  // namespace qanat
