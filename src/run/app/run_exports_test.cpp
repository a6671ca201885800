#include "app/run_exports.h"

#include <fstream>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/progress.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::HasSubstr;

std::filesystem::path fresh_folder() {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

TEST(RunExportsTest, NothingIsExportedUnlessAskedFor) {
  RunExports exports({}, [](const MessageArg& line) { FAIL() << Translator().said(line); });

  EXPECT_TRUE(exports.sinks().empty());
  EXPECT_FALSE(exports.on_row());
}

TEST(RunExportsTest, ATraceIsLeftAlsoByARunThatFails) {
  const std::filesystem::path file = fresh_folder() / "run.perfetto-trace";
  std::vector<std::string> said;
  {
    const RunExports exports(
        {.tensorboard = std::nullopt, .trace = file},
        [&](const MessageArg& line) { said.push_back(Translator().said(line)); });
    exports.sinks().at(0)->record(SessionStart{});
  }

  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_THAT(said, testing::ElementsAre(HasSubstr("ui.perfetto.dev")));
}

TEST(RunExportsTest, ATraceThatCouldNotBeWrittenIsRefusedBeforeTheRun) {
  const std::filesystem::path file = fresh_folder() / "nowhere" / "run.perfetto-trace";

  const SayFn silent = [](const MessageArg&) {};

  EXPECT_THROW(RunExports({.tensorboard = std::nullopt, .trace = file}, silent), Error);
}

// No file can be opened while this lives.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;
  ~NoMoreFiles() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(RunExportsTest, TensorBoardFilesThatAreRefusedForTheTimeBeingEndNoRun) {
  const std::filesystem::path folder = fresh_folder();
  std::vector<std::string> said;
  const NoMoreFiles none;

  const RunExports exports(
      {.tensorboard = folder, .trace = std::nullopt},
      [&](const MessageArg& line) { said.push_back(Translator().said(line)); });

  EXPECT_TRUE(exports.sinks().empty());
  EXPECT_THAT(said, testing::ElementsAre(HasSubstr("the run continues without this file")));
}

TEST(RunExportsTest, ATensorBoardFolderThatCannotBeMadeIsRefusedBeforeTheRun) {
  const std::filesystem::path file = fresh_folder() / "file";
  std::ofstream(file) << "no folder";
  const SayFn silent = [](const MessageArg&) {};

  EXPECT_THROW(RunExports({.tensorboard = file / "inside", .trace = std::nullopt}, silent), Error);
}

TEST(RunExportsTest, TensorBoardFilesAreBesideTheCheckpointsUnlessAFolderIsNamed) {
  TrainingConfig config;
  EXPECT_EQ(tensorboard_folder(config), std::nullopt);

  config.checkpoint_dir = "here";
  config.tensorboard = true;
  EXPECT_EQ(tensorboard_folder(config), "here/tensorboard");

  config.tensorboard = false;
  config.tensorboard_dir = "there";
  EXPECT_EQ(tensorboard_folder(config), "there");
}

}  // namespace
}  // namespace qanat
