// Programs that stand in for espeak-ng in tests. For tests only.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace qanat {

// An empty folder of this test's own.
inline std::filesystem::path make_test_folder() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + '.' + test->name();
  std::replace(name.begin(), name.end(), '/', '_');
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

// A shell script that prints `version` when asked for it and else runs `body`.
inline std::string make_fake_espeak(const std::filesystem::path& folder,
                                    std::string_view body,
                                    std::string_view version = "fake 1.0  Data at: /nowhere") {
  const std::filesystem::path script = folder / "fake-espeak";
  std::ofstream(script) << "#!/bin/sh\n"
                        << "if [ \"$1\" = --version ]; then echo '" << version << "'; exit; fi\n"
                        << body << '\n';
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  return script.string();
}

// Answers each line with itself in angle brackets.
inline constexpr std::string_view kAnswersEveryLine =
    "while read -r line; do echo \"<$line>\"; done";

// Reads and never answers.
inline constexpr std::string_view kHangs = "exec sleep 600";

}  // namespace qanat
