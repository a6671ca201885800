#include "launch/replica_place.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "locale/message_error.h"
#include "locale/messages/devices.h"

namespace qanat {
namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr int kMaxPort = 65535;

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

// The variables of one launcher.
struct Names {
  const char* rank;
  const char* world;
  const char* local_rank;
  const char* local_world;
};

constexpr Names kTorchrun{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kOpenMpi{"OMPI_COMM_WORLD_RANK",
                         "OMPI_COMM_WORLD_SIZE",
                         "OMPI_COMM_WORLD_LOCAL_RANK",
                         "OMPI_COMM_WORLD_LOCAL_SIZE"};

class Reader {
 public:
  explicit Reader(const Environment& environment) : environment_(environment) {}

  ReplicaPlace read() const {
    if (has(kTorchrun.rank) || has(kTorchrun.world)) {
      return torchrun();
    }
    if (has(kOpenMpi.rank)) {
      return open_mpi();
    }
    return is_slurm_step() ? slurm() : ReplicaPlace{};
  }

  // Whether srun started this, not the script that holds the allocation.
  bool is_slurm_step() const {
    constexpr std::uint32_t kSpecialSteps = 0xFFFFFFF0U;
    const std::optional<std::string> step = environment_("SLURM_STEP_ID");
    std::uint64_t number = 0;
    return step && has("SLURM_PROCID") &&
           std::from_chars(step->data(), step->data() + step->size(), number).ec == std::errc{} &&
           number < kSpecialSteps;
  }

  bool has(const char* name) const { return environment_(name).has_value(); }

 private:
  std::string needed(const char* name, const char* because) const {
    const std::optional<std::string> value = environment_(name);
    if (!value) {
      throw MessageError(msg::launch_missing{.given = because, .missing = name});
    }
    return *value;
  }

  int number(const char* name, const std::string& text, int min, int max) const {
    const std::optional<int> value = whole_number(text);
    if (!value || *value < min || *value > max) {
      throw MessageError(
          msg::launch_not_a_number{.name = name, .value = text, .min = min, .max = max});
    }
    return *value;
  }

  ReplicaPlace counted(const Names& names) const {
    constexpr int kMaxWorld = 1 << 20;
    ReplicaPlace place;
    const std::string rank = needed(names.rank, names.world);
    place.world = number(names.world, needed(names.world, names.rank), 1, kMaxWorld);
    place.rank = number(names.rank, rank, 0, place.world - 1);
    if (has(names.local_rank) || has(names.local_world)) {
      const std::string local = needed(names.local_rank, names.local_world);
      place.local_world =
          number(names.local_world, needed(names.local_world, names.local_rank), 1, place.world);
      place.local_rank = number(names.local_rank, local, 0, place.local_world - 1);
    }
    return place;
  }

  int port_of(const std::string& text) const { return number("MASTER_PORT", text, 1, kMaxPort); }

  ReplicaPlace torchrun() const {
    ReplicaPlace place = counted(kTorchrun);
    if (place.world == 1) {
      return place;
    }
    place.address = needed("MASTER_ADDR", kTorchrun.world);
    place.port = port_of(needed("MASTER_PORT", kTorchrun.world));
    const bool is_here = place.address == "localhost" || place.address.starts_with("127.");
    if (is_here && !has(kTorchrun.local_rank)) {
      place.local_rank = place.rank;
      place.local_world = place.world;
    }
    // torchrun serves a store there itself, in the protocol of its own PyTorch, which need not be
    // that of our libtorch: rank 0 serves another one behind it.
    if (environment_("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True") {
      place.port += place.port < kMaxPort ? 1 : -1;
    }
    place.attempt = environment_("TORCHELASTIC_RESTART_COUNT").value_or("0");
    return place;
  }

  // Each job gets a port of its own: two of them may run on a machine at the same time.
  void meet(ReplicaPlace& place, const std::string& address, const std::string& job) const {
    constexpr std::uint64_t kFirstPort = 20000;
    constexpr std::uint64_t kPorts = 12000;  // below those the kernel gives to clients
    std::uint64_t hash = 1469598103934665603ULL;
    for (const char letter : job) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
    }
    place.address = environment_("MASTER_ADDR").value_or(address);
    const std::optional<std::string> port = environment_("MASTER_PORT");
    place.port = port ? port_of(*port) : static_cast<int>(kFirstPort + hash % kPorts);
  }

  ReplicaPlace open_mpi() const {
    ReplicaPlace place = counted(kOpenMpi);
    if (place.world == 1) {
      return place;
    }
    if (place.local_world < place.world && !has("MASTER_ADDR")) {
      throw MessageError(msg::launch_mpi_address{});
    }
    std::string job;
    for (const char* name :
         {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri"}) {
      job += environment_(name).value_or("");
    }
    meet(place, kLoopback, job);
    return place;
  }

  ReplicaPlace slurm() const {
    constexpr const char* kRank = "SLURM_PROCID";
    constexpr int kMaxWorld = 1 << 20;
    ReplicaPlace place;
    const char* const tasks = has("SLURM_STEP_NUM_TASKS") ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS";
    place.world = number(tasks, needed(tasks, kRank), 1, kMaxWorld);
    place.rank = number(kRank, needed(kRank, tasks), 0, place.world - 1);
    if (place.world == 1) {
      return place;
    }
    const int node = number("SLURM_NODEID", needed("SLURM_NODEID", kRank), 0, place.world);
    const char* const spread =
        has("SLURM_STEP_TASKS_PER_NODE") ? "SLURM_STEP_TASKS_PER_NODE" : "SLURM_TASKS_PER_NODE";
    const std::string per_node = needed(spread, kRank);
    const std::optional<int> local = tasks_of_node(per_node, node);
    if (!local) {
      throw MessageError(msg::launch_slurm_tasks{.name = spread, .value = per_node, .node = node});
    }
    place.local_world = *local;
    place.local_rank =
        number("SLURM_LOCALID", needed("SLURM_LOCALID", kRank), 0, place.local_world - 1);
    const char* const hosts =
        has("SLURM_STEP_NODELIST") ? "SLURM_STEP_NODELIST" : "SLURM_JOB_NODELIST";
    const std::string address = has("MASTER_ADDR") ? "" : first_host(needed(hosts, kRank));
    meet(place,
         address,
         environment_("SLURM_JOB_ID").value_or("") + "." +
             environment_("SLURM_STEP_ID").value_or(""));
    place.attempt = environment_("SLURM_RESTART_COUNT").value_or("0");
    return place;
  }

  const Environment& environment_;
};

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

ReplicaPlace read_replica_place(const Environment& environment) {
  ReplicaPlace place = Reader(environment).read();
  place.secret = environment(kSecretVariable).value_or("");
  return place;
}

bool has_launcher(const Environment& environment) {
  const Reader reader(environment);
  return reader.has(kTorchrun.rank) || reader.has(kTorchrun.world) || reader.has(kOpenMpi.rank) ||
         reader.is_slurm_step();
}

std::string first_host(const std::string& hosts) {
  const std::size_t bracket = hosts.find('[');
  const std::size_t comma = hosts.find(',');
  if (bracket == std::string::npos || comma < bracket) {
    return hosts.substr(0, comma);
  }
  const std::size_t end = hosts.find_first_of("-,]", bracket);
  const std::size_t close = hosts.find(']', bracket);
  if (end == std::string::npos || close == std::string::npos) {
    return hosts.substr(0, bracket);
  }
  const std::size_t after = hosts.find(',', close);  // "rack[1-2]-gpu,other"
  return hosts.substr(0, bracket) + hosts.substr(bracket + 1, end - bracket - 1) +
         hosts.substr(close + 1, after == std::string::npos ? after : after - close - 1);
}

std::optional<int> tasks_of_node(const std::string& tasks, int node) {
  std::string_view rest = tasks;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    std::optional<int> times = 1;
    if (const std::size_t open = part.find("(x"); open != std::string_view::npos) {
      times = part.ends_with(')') ? whole_number(part.substr(open + 2, part.size() - open - 3))
                                  : std::nullopt;
      part = part.substr(0, open);
    }
    const std::optional<int> count = whole_number(part);
    if (!count || !times || *count < 1 || *times < 1) {
      return std::nullopt;
    }
    if (node < *times) {
      return count;
    }
    node -= *times;
  }
  return std::nullopt;
}

}  // namespace qanat
