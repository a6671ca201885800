#include "diagnosing/diagnose_host.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "app/loader_options.h"
#include "locale/messages/full_diagnosis.h"
#include "monitor/resident_memory.h"
#include "report/known_names.h"

namespace qanat {
namespace {

// A number in its unit, or why there is none.
Value value_of_reading(const Reading<double>& reading, Unit unit) {
  if (reading.is_unlimited()) {
    return msg::host_no_limit{};
  }
  if (!reading) {
    return msg::host_unknown{.why = in_words(reading.why_not())};
  }
  return Quantity{.value = *reading, .unit = unit};
}

Value share_value(const Reading<double>& share) {
  return share ? Value(msg::host_share{.share = in_percent(*share, 1)})
               : value_of_reading(share, Unit::share);
}

Value core_value(const Reading<double>& cores) {
  return cores
             ? Value(msg::host_core_count{.count = Quantity{.value = *cores, .unit = Unit::number}})
             : value_of_reading(cores, Unit::number);
}

Value word_value(const Reading<std::string>& word) {
  return word ? Value(*word) : Value(msg::host_unknown{.why = in_words(word.why_not())});
}

void add_gpus(const GpuSummary& gpus, Section& section) {
  if (!gpus.setup) {
    section.facts.push_back({.name = msg::host_gpus{},
                             .value = msg::host_no_gpus{.why = in_words(gpus.setup.why_not())}});
    return;
  }
  for (const GpuFacts& gpu : (*gpus.setup).gpus) {
    section.facts.push_back(
        {.name = msg::host_gpu{},
         .value = msg::host_gpu_value{
             .name = gpu.name ? MessageArg(*gpu.name) : MessageArg(msg::host_gpu_unnamed{}),
             .bus = gpu.bus_id ? MessageArg(*gpu.bus_id) : MessageArg(msg::host_gpu_nowhere{}),
             .memory = in_bytes(gpu.memory.value().value_or(0)),
             .driver = (*gpus.setup).driver}});
  }
}

bool is_in_path(std::string_view program) {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (::access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

Message espeak_state(const RunConfig& config) {
  if (is_in_path("espeak-ng")) {
    return msg::host_espeak_found{};
  }
  return config.data.use_phonemes ? Message(msg::host_espeak_needed{})
                                  : Message(msg::host_espeak_not_needed{});
}

void add_threads(const HostSummary& host, Section& section) {
  const auto threads = host.threads();
  if (!threads) {
    return;
  }
  for (const ThreadClock& clock : *threads) {
    if (clock.running + clock.waiting > 0.01 * host.seconds()) {
      section.facts.push_back(
          {.name = msg::host_thread{.name = clock.name},
           .value = msg::host_thread_value{.threads = clock.threads,
                                           .running = plain(clock.running / host.seconds(), 2),
                                           .waiting = plain(clock.waiting / host.seconds(), 2)}});
    }
  }
}

}  // namespace

Section hardware_section(const RunSummary& summary) {
  Section section{.key = "hardware", .title = msg::diagnose_hardware{}};
  if (!summary.host) {
    section.skipped = msg::diagnose_no_host{};
    return section;
  }
  const HostSetup& setup = summary.host->setup;
  section.facts = {
      {.name = msg::host_cores{}, .value = cores_of(setup)},
      {.name = msg::host_online{}, .value = core_value(setup.online_cores)},
      {.name = msg::host_affinity{}, .value = core_value(setup.affinity_cores)},
      {.name = msg::host_quota{}, .value = core_value(setup.cpu_quota)},
      {.name = msg::host_memory{}, .value = value_of_reading(setup.total_memory, Unit::bytes)},
      {.name = msg::host_memory_limit{},
       .value = value_of_reading(setup.memory_limit, Unit::bytes)},
      {.name = msg::host_swap{}, .value = value_of_reading(setup.swap, Unit::bytes)},
      {.name = msg::host_nodes{}, .value = value_of_reading(setup.numa_nodes, Unit::count)},
      {.name = msg::host_governor{}, .value = word_value(setup.governor)},
      {.name = msg::host_pinned{}, .value = value_of_reading(setup.locked_memory, Unit::bytes)},
      {.name = msg::host_shm{}, .value = value_of_reading(setup.shared_memory, Unit::bytes)},
      {.key = "host", .value = figure_of(to_json(setup))}};
  if (summary.gpus) {
    add_gpus(*summary.gpus, section);
    section.facts.push_back(
        {.key = "gpus",
         .value = figure_of(summary.gpus->setup
                                ? to_json(*summary.gpus->setup)
                                : nlohmann::json{{"unknown", summary.gpus->setup.why_not()}})});
  }
  return section;
}

Section runtime_section(const RunSummary& summary, const RunConfig& config) {
  Section section{.key = "runtime",
                  .title = msg::diagnose_runtime{},
                  .facts = {{.name = msg::host_espeak{}, .value = espeak_state(config)}}};
  if (!summary.host) {
    section.skipped = msg::diagnose_no_host_run{};
    return section;
  }
  const HostSummary& host = *summary.host;
  const auto add = [&](Message name, Value value) {
    section.facts.push_back({.name = std::move(name), .value = std::move(value)});
  };
  const Reading<double> own_group = host.share(&HostCounters::group_cpu_some);
  add(msg::host_quota_used{}, share_value(host.share(&HostCounters::throttled)));
  add(msg::host_core_wait{},
      share_value(own_group ? own_group : host.share(&HostCounters::cpu_some)));
  if (const Reading<Neighbours> others = host.neighbours()) {
    add(msg::host_others{},
        msg::host_others_value{.others = plain((*others).others, 2),
                               .cores = plain((*others).cores, 0),
                               .stolen = plain((*others).stolen, 2)});
  }
  add(msg::host_disk_stalls{}, share_value(host.share(&HostCounters::io_full)));
  add(msg::host_memory_stalls{}, share_value(host.share(&HostCounters::memory_full)));
  add(msg::host_swapped{},
      value_of_reading(host.share(&HostCounters::swapped_in), Unit::bytes_per_second));
  add(msg::host_from_storage{},
      value_of_reading(host.share(&HostCounters::storage_bytes), Unit::bytes_per_second));
  add_threads(host, section);
  add(msg::host_cost{}, share_value(host.cost_share()));
  section.facts.push_back({.key = "seconds", .value = figure_of(host.seconds())});
  section.facts.push_back({.key = "counters", .value = figure_of(to_json(host.last))});
  return section;
}

Section memory_section(const RunConfig& config, const HostFacts& host, const RunSummary& summary) {
  Section section{.key = "memory", .title = msg::diagnose_memory{}};
  const auto add = [&](Message name, const std::optional<Bytes>& bytes) {
    section.facts.push_back(
        {.name = std::move(name),
         .value = bytes ? Value(in_bytes(static_cast<double>(bytes->value))) : Value()});
  };
  add(msg::memory_ceiling{}, memory_ceiling(host));
  add(msg::memory_free{}, free_memory(host));
  add(msg::memory_batches{}, make_loader_options(config, host, 1).budget);
  add(msg::memory_cache{}, feature_cache_budget(config, host));
  add(msg::memory_peak{}, peak_resident_memory());
  if (summary.pipeline) {
    add(msg::memory_batches_took{}, summary.pipeline->window.allocated);
  }
  return section;
}

}  // namespace qanat
