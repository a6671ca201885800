#include "cli/find_journal.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "locale/message_error.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FindJournalTest : public testing::Test {
 protected:
  std::filesystem::path make_run(const std::string& name) const {
    std::filesystem::path run = folder_.path() / name;
    make_folders(run);
    write_text_file(run / "journal.jsonl", "{}\n");
    return run;
  }

  std::string complaint_about(const std::filesystem::path& given) const {
    try {
      return "found " + find_journal(given).string();
    } catch (const MessageError& error) {
      return error.what();
    }
  }

  const TemporaryFolder folder_;
};

TEST_F(FindJournalTest, AFileAndTheFolderThatHoldsItAreTheSame) {
  const std::filesystem::path run = make_run("run");

  EXPECT_EQ(find_journal(run), run / "journal.jsonl");
  EXPECT_EQ(find_journal(run / "journal.jsonl"), run / "journal.jsonl");
}

TEST_F(FindJournalTest, RunsBelowTheFolderAreNamed) {
  const std::filesystem::path first = make_run("first");
  const std::filesystem::path second = make_run("second");

  EXPECT_THAT(complaint_about(folder_.path()),
              AllOf(HasSubstr("no journal here"),
                    HasSubstr("try " + first.string() + ", " + second.string())));
}

TEST_F(FindJournalTest, RunsBesideWhatIsNotThereAreNamed) {
  const std::filesystem::path run = make_run("run");

  EXPECT_THAT(complaint_about(folder_.path() / "rnu"), HasSubstr("try " + run.string()));
}

TEST_F(FindJournalTest, WithoutARunNearTheCommandThatMakesOneIsNamed) {
  const std::filesystem::path given = folder_.path() / "nowhere";

  EXPECT_THAT(complaint_about(given),
              AllOf(HasSubstr("expected the journal.jsonl of a run"),
                    HasSubstr("qanat train --data DIR --checkpoint-dir " + given.string()),
                    Not(HasSubstr("; try"))));
}

}  // namespace
}  // namespace qanat
