#include "cli/report_flags.h"

#include <array>
#include <map>

#include <gtest/gtest.h>

namespace qanat {
namespace {

EnvironmentLookup with(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const std::string& name) -> std::optional<std::string> {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(ReportLanguageTest, TheFlagWins) {
  EXPECT_EQ(report_language("en", with({{"LANG", "fa_IR.UTF-8"}})), Language::en);
  EXPECT_EQ(report_language("fa", with({{"LANG", "en_US.UTF-8"}})), Language::fa);
}

TEST(ReportLanguageTest, WithoutTheFlagTheEnvironmentDecides) {
  EXPECT_EQ(report_language("", with({{"LANG", "fa_IR.UTF-8"}})), Language::fa);
  EXPECT_EQ(report_language("", with({{"LC_ALL", "C"}, {"LANG", "fa_IR.UTF-8"}})), Language::en);
}

TEST(ReportLanguageTest, OtherLanguagesGetEnglish) {
  EXPECT_EQ(report_language("", with({{"LANG", "fat_GH.UTF-8"}})), Language::en);
  EXPECT_EQ(report_language("", with({})), Language::en);
}

TEST(ReportLanguageTest, TheFlagIsFoundBeforeAnythingIsParsed) {
  EXPECT_EQ(asked_language(std::array{"qanat", "trian", "--lang", "fa"}), "fa");
  EXPECT_EQ(asked_language(std::array{"qanat", "--lang=fa", "--help"}), "fa");
  EXPECT_EQ(asked_language(std::array{"qanat", "--lang", "xx"}), "");
  EXPECT_EQ(asked_language(std::array{"qanat", "synth", "--", "--lang", "fa"}), "");
  EXPECT_EQ(asked_language(std::array{"qanat", "--language", "fa"}), "");
}

}  // namespace
}  // namespace qanat
