// Which of the processes that train together this one is, as whoever started it says in the
// environment: torchrun (or anything that sets its variables), Open MPI, Slurm, or `qanat train
// --processes`. Needs no libtorch.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace qanat {

struct ReplicaPlace {
  int rank = 0;
  int world = 1;
  int local_rank = 0;  // among the processes of this machine
  int local_world = 1;
  std::string address{};  // where rank 0 is met; empty for one process
  int port = 0;
  std::string attempt = "0";  // another one after each restart by the launcher
  std::string secret{};       // that only processes of this run know; empty: the launcher gave none

  bool operator==(const ReplicaPlace&) const = default;
};

// Where `qanat train --processes` leaves the secret; other launchers may set it, too.
inline constexpr const char* kSecretVariable = "QANAT_RUN_SECRET";

// The value of a variable; absent when it is not set or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

// Alone when nothing is set. Throws MessageError naming the variable that is missing or wrong.
ReplicaPlace read_replica_place(const Environment& environment = environment_variable);

// Whether a launcher has set anything: then `--processes` has nothing to start.
bool has_launcher(const Environment& environment = environment_variable);

// The first of Slurm's "gpu[03-05,9],login": "gpu03".
std::string first_host(const std::string& hosts);
// How many of Slurm's "2(x3),1" belong to a node.
std::optional<int> tasks_of_node(const std::string& tasks, int node);

}  // namespace qanat
