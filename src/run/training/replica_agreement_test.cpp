#include "training/replica_agreement.h"

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "config/field_list.h"
#include "replicas/thread_group.h"

namespace qanat {
namespace {

using testing::HasSubstr;

// What each of two processes ended with.
std::array<std::string, 2> compared(const std::vector<SharedFact>& first,
                                    const std::vector<SharedFact>& second) {
  const auto groups = make_thread_groups({.world = 2, .timeout = Seconds(60)});
  std::array<std::string, 2> failures;
  {
    std::vector<std::jthread> threads;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          check_same(*groups[rank], rank == 0 ? first : second);
        } catch (const std::exception& error) {
          failures[rank] = error.what();
        }
      });
    }
  }
  return failures;
}

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const FieldEntry& field : list_fields(RunConfig{})) {
    keys.push_back(field.key);
  }
  return keys;
}

std::string value_of(const RunConfig& config, const std::string& key) {
  for (const FieldEntry& field : list_fields(config)) {
    if (field.key == key) {
      return field.value;
    }
  }
  return "";
}

// The default with another value for one key, whatever kind it is of.
RunConfig changed(const std::string& key) {
  const RunConfig before;
  for (const char* const text : {"true",
                                 "false",
                                 "3",
                                 "0.25",
                                 "12",
                                 "small",
                                 "vocoder",
                                 "fa",
                                 "loss",
                                 "bf16",
                                 "runtime",
                                 "decoder",
                                 "/elsewhere"}) {
    RunConfig config;
    if (!assign_field(config, key, {.text = text}) &&
        value_of(config, key) != value_of(before, key)) {
      return config;
    }
  }
  ADD_FAILURE() << "no other value for " << key;
  return before;
}

class EveryKeyTest : public testing::TestWithParam<std::string> {};

// A key that is added to the configuration is compared, unless it is listed.
TEST_P(EveryKeyTest, IsComparedOrListed) {
  const RunConfig config = changed(GetParam());

  const auto failures = compared(setting_facts({}), setting_facts(config));

  for (const std::string& failure : failures) {
    switch (agreement_of(GetParam())) {
      case Agreement::none:
        EXPECT_EQ(failure, "");
        break;
      case Agreement::same_if_set:
        EXPECT_THAT(failure, HasSubstr(GetParam() + ": set on rank 1 (thread1), but none on"));
        break;
      case Agreement::same:
        EXPECT_THAT(failure,
                    HasSubstr(GetParam() + ": " + value_of(config, GetParam()) +
                              " on rank 1 (thread1), but " + value_of({}, GetParam()) + " on"));
        break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Config,
                         EveryKeyTest,
                         testing::ValuesIn(all_keys()),
                         [](const testing::TestParamInfo<std::string>& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(ReplicaAgreementTest, WhatIsListedIsAKey) {
  for (const std::string_view key : listed_keys()) {
    EXPECT_THAT(all_keys(), testing::Contains(key));
  }
}

TEST(ReplicaAgreementTest, WhatOneDoesNotKnowAgrees) {
  const auto failures = compared({{.name = "content", .value = nullptr}, {.name = "n", .value = 1}},
                                 {{.name = "content", .value = "1f"}, {.name = "n", .value = 1}});

  EXPECT_EQ(failures[0] + failures[1], "");
}

TEST(ReplicaAgreementTest, AnotherListIsAnotherVersion) {
  const auto failures =
      compared({{.name = "n", .value = 1}}, {{.name = "n", .value = 1}, {.name = "m", .value = 1}});

  EXPECT_THAT(failures[0], HasSubstr("another version"));
  EXPECT_THAT(failures[1], HasSubstr("another version"));
}

}  // namespace
}  // namespace qanat
