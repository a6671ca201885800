#include "launch/replica_place.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace qanat {
namespace {

using testing::HasSubstr;

Environment with(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string refusal(const Environment& environment) {
  try {
    (void)read_replica_place(environment);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ReplicaPlaceTest, IsAloneWhenNobodySaysOtherwise) {
  EXPECT_EQ(read_replica_place(with({})), ReplicaPlace{});
  EXPECT_FALSE(has_launcher(with({})));
}

TEST(ReplicaPlaceTest, ReadsTheVariablesOfTorchrun) {
  const Environment environment = with({{"RANK", "3"},
                                        {"WORLD_SIZE", "4"},
                                        {"LOCAL_RANK", "1"},
                                        {"LOCAL_WORLD_SIZE", "2"},
                                        {"MASTER_ADDR", "gpu1"},
                                        {"MASTER_PORT", "29500"},
                                        {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                        {"TORCHELASTIC_RESTART_COUNT", "2"}});

  EXPECT_EQ(read_replica_place(environment),
            (ReplicaPlace{.rank = 3,
                          .world = 4,
                          .local_rank = 1,
                          .local_world = 2,
                          .address = "gpu1",
                          .port = 29501,
                          .attempt = "2"}));
  EXPECT_TRUE(has_launcher(environment));
}

// torchrun listens on the port that it names.
TEST(ReplicaPlaceTest, MeetsBesideTheStoreOfTorchrun) {
  const auto port = [](const char* given, const char* has_store) {
    return read_replica_place(with({{"RANK", "1"},
                                    {"WORLD_SIZE", "2"},
                                    {"MASTER_ADDR", "gpu1"},
                                    {"MASTER_PORT", given},
                                    {"TORCHELASTIC_USE_AGENT_STORE", has_store}}))
        .port;
  };

  EXPECT_EQ(port("29500", "True"), 29501);
  EXPECT_EQ(port("65535", "True"), 65534);
  EXPECT_EQ(port("29500", "False"), 29500);
}

TEST(ReplicaPlaceTest, TakesProcessesOfTheLoopbackInterfaceForLocalOnes) {
  const ReplicaPlace place = read_replica_place(with(
      {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "4000"}}));

  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_world, 2);
}

TEST(ReplicaPlaceTest, ReadsTheVariablesOfOpenMpi) {
  const std::map<std::string, std::string> variables = {{"OMPI_COMM_WORLD_RANK", "1"},
                                                        {"OMPI_COMM_WORLD_SIZE", "2"},
                                                        {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                                                        {"PMIX_NAMESPACE", "1234"}};
  std::map<std::string, std::string> other = variables;
  other["PMIX_NAMESPACE"] = "1235";

  const ReplicaPlace place = read_replica_place(with(variables));

  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.local_world, 2);
  EXPECT_EQ(place.address, "127.0.0.1");
  EXPECT_GE(place.port, 20000);
  EXPECT_LT(place.port, 32000);
  EXPECT_NE(place.port, read_replica_place(with(other)).port);
}

TEST(ReplicaPlaceTest, AsksForAnAddressWhenMpirunUsesSeveralMachines) {
  EXPECT_THAT(refusal(with({{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}})),
              HasSubstr("MASTER_ADDR is not set"));
}

TEST(ReplicaPlaceTest, ReadsTheVariablesOfSrun) {
  const ReplicaPlace place = read_replica_place(with({{"SLURM_PROCID", "5"},
                                                      {"SLURM_STEP_NUM_TASKS", "6"},
                                                      {"SLURM_LOCALID", "1"},
                                                      {"SLURM_NODEID", "2"},
                                                      {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"},
                                                      {"SLURM_STEP_NODELIST", "gpu[03-05]"},
                                                      {"SLURM_JOB_ID", "77"},
                                                      {"SLURM_STEP_ID", "0"}}));

  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.world, 6);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_world, 2);
  EXPECT_EQ(place.address, "gpu03");
}

// The script that holds an allocation is one process, though Slurm says how many it could start.
TEST(ReplicaPlaceTest, IsAloneInABatchScript) {
  EXPECT_EQ(read_replica_place(with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}})),
            ReplicaPlace{});
  EXPECT_EQ(read_replica_place(with(
                {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_STEP_ID", "4294967290"}})),
            ReplicaPlace{});
}

struct WrongCase {
  const char* name;
  std::map<std::string, std::string> variables;
  const char* message;
};

class WrongPlaceTest : public testing::TestWithParam<WrongCase> {};

TEST_P(WrongPlaceTest, IsNamed) {
  EXPECT_THAT(refusal(with(GetParam().variables)), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Variables,
    WrongPlaceTest,
    testing::Values(
        WrongCase{"NoWorld", {{"RANK", "0"}}, "RANK is set, but WORLD_SIZE is not"},
        WrongCase{"NoRank", {{"WORLD_SIZE", "2"}}, "WORLD_SIZE is set, but RANK is not"},
        WrongCase{"NoAddress",
                  {{"RANK", "0"}, {"WORLD_SIZE", "2"}},
                  "WORLD_SIZE is set, but MASTER_ADDR is not"},
        WrongCase{"RankTooLarge",
                  {{"RANK", "2"}, {"WORLD_SIZE", "2"}},
                  "RANK: 2 is not valid; expected a whole number from 0 to 1"},
        WrongCase{"NoNumber", {{"RANK", "one"}, {"WORLD_SIZE", "2"}}, "RANK: one is not valid"},
        WrongCase{"NoLocalWorld",
                  {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}},
                  "LOCAL_RANK is set, but LOCAL_WORLD_SIZE is not"},
        WrongCase{"BadPort",
                  {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "0"}},
                  "MASTER_PORT: 0 is not valid"}),
    [](const auto& one) { return one.param.name; });

TEST(ReplicaPlaceTest, FindsTheFirstHostOfSlurmsLists) {
  EXPECT_EQ(first_host("login"), "login");
  EXPECT_EQ(first_host("a,b"), "a");
  EXPECT_EQ(first_host("gpu[03-05,9],login"), "gpu03");
  EXPECT_EQ(first_host("gpu[7]"), "gpu7");
  EXPECT_EQ(first_host("rack[1-2]-gpu,other"), "rack1-gpu");
}

TEST(ReplicaPlaceTest, CountsTheTasksOfANode) {
  EXPECT_EQ(tasks_of_node("2(x3),1", 2), 2);
  EXPECT_EQ(tasks_of_node("2(x3),1", 3), 1);
  EXPECT_EQ(tasks_of_node("2(x3),1", 4), std::nullopt);
  EXPECT_EQ(tasks_of_node("many", 0), std::nullopt);
}

}  // namespace
}  // namespace qanat
