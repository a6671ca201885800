#include "checkpoint/checkpoint.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <limits>
#include <random>

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/damage_testing.h"
#include "base/error.h"
#include "base/files.h"
#include "base/retry.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "locale/translator.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A checkpoint that tells everywhere of which step it is.
Checkpoint checkpoint_of(std::int64_t step, std::int64_t values = 64) {
  const auto filled = [&](double value) { return torch::full({values}, value); };
  const auto number = static_cast<double>(step);
  return {.weights = {{"w", filled(number)}},
          .ema = {{"w", filled(number + 0.5)}},
          .optimizer = {{"m", filled(-number)}},
          .state = {{"step", step}, {"name", "آرش"}}};
}

void expect_is_of_step(const LoadedCheckpoint& loaded, std::int64_t step) {
  const Checkpoint expected = checkpoint_of(step);
  EXPECT_EQ(loaded.step, step);
  EXPECT_EQ(loaded.checkpoint.state, expected.state);
  EXPECT_TRUE(torch::equal(loaded.checkpoint.weights.at("w"), expected.weights.at("w")));
  EXPECT_TRUE(torch::equal(loaded.checkpoint.ema.at("w"), expected.ema.at("w")));
  EXPECT_TRUE(torch::equal(loaded.checkpoint.optimizer.at("m"), expected.optimizer.at("m")));
}

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            fmt::format("checkpoint-{}-{}",
                        ::getpid(),
                        testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path file(std::int64_t step, const std::string& name) const {
    return root_ / fmt::format("step-{:09}", step) / name;
  }
  WarnFn warn() {
    return [this](const Message& text) { warnings_.push_back(Translator().tr(text)); };
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(root_)) {
      found.push_back(entry.path().filename().string());
    }
    std::ranges::sort(found);
    return found;
  }

  fs::path root_;
  std::vector<std::string> warnings_;
};

TEST_F(CheckpointTest, ComesBackWhole) {
  CheckpointFolder folder(root_, 3);
  folder.save(7, checkpoint_of(7), false);

  const auto loaded = folder.newest(warn());

  ASSERT_TRUE(loaded);
  expect_is_of_step(*loaded, 7);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_THAT(names(), ElementsAre("step-000000007"));
}

TEST_F(CheckpointTest, AnEmptyOrMissingFolderHasNone) {
  EXPECT_FALSE(CheckpointFolder(root_, 1).newest(warn()));
  EXPECT_FALSE(CheckpointFolder(root_, 1).best(warn()));
}

TEST_F(CheckpointTest, OnlyTheNewestAreKept) {
  CheckpointFolder folder(root_, 2);
  for (const std::int64_t step : {1, 2, 3, 4}) {
    folder.save(step, checkpoint_of(step), false);
  }

  EXPECT_THAT(folder.steps(), ElementsAre(3, 4));
}

TEST_F(CheckpointTest, TheBestIsKeptBesides) {
  CheckpointFolder folder(root_, 2);
  for (const std::int64_t step : {1, 2, 3, 4}) {
    folder.save(step, checkpoint_of(step), step == 1);
  }

  EXPECT_THAT(folder.steps(), ElementsAre(1, 3, 4));
  expect_is_of_step(*folder.best(warn()), 1);
  expect_is_of_step(*folder.newest(warn()), 4);
}

TEST_F(CheckpointTest, AFileNamesTheBestForPeople) {
  CheckpointFolder folder(root_, 2);
  folder.save(3, checkpoint_of(3), true);

  EXPECT_EQ(read_text_file(root_ / "best").value(), "3\n");
}

TEST_F(CheckpointTest, AFormerBestGoesWhenThereIsABetterOne) {
  CheckpointFolder folder(root_, 1);
  folder.save(1, checkpoint_of(1), true);
  folder.save(2, checkpoint_of(2), true);
  folder.save(3, checkpoint_of(3), false);

  EXPECT_THAT(folder.steps(), ElementsAre(2, 3));
}

TEST_F(CheckpointTest, TheNewestIsTheOneSavedLast) {
  CheckpointFolder folder(root_, 3);
  folder.save(2000, checkpoint_of(2000), false);
  folder.save(1500, checkpoint_of(1500), false);

  EXPECT_EQ(folder.newest(warn())->step, 1500);
}

TEST_F(CheckpointTest, AStepSavedAgainTakesTheFormersPlace) {
  CheckpointFolder folder(root_, 3);
  folder.save(5, checkpoint_of(4), false);
  folder.save(5, checkpoint_of(5), false);

  expect_is_of_step(*folder.newest(warn()), 5);
  EXPECT_THAT(names(), ElementsAre("step-000000005"));
}

TEST_F(CheckpointTest, PartsThatAreNotWantedAreNotRead) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), false);
  fs::remove(file(1, "optimizer.safetensors"));

  const auto loaded = folder.newest(warn(), {.weights = false, .optimizer = false});

  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->checkpoint.ema.size(), 1);
  EXPECT_THAT(loaded->checkpoint.weights, IsEmpty());
}

// Each damages the newest of two checkpoints in its way.
struct Damage {
  const char* name;
  std::function<void(const fs::path& folder)> spoil;
  const char* file;
};

class CheckpointDamageTest : public CheckpointTest, public testing::WithParamInterface<Damage> {};

TEST_P(CheckpointDamageTest, IsNamedAndTheOneBeforeIsUsed) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), false);
  folder.save(2, checkpoint_of(2), false);
  GetParam().spoil(file(2, ""));

  const auto loaded = folder.newest(warn());

  ASSERT_TRUE(loaded);
  expect_is_of_step(*loaded, 1);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(file(2, GetParam().file).string())));
}

TEST_F(CheckpointTest, RandomDamageIsNeverTakenForWhatWasSaved) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), false);
  folder.save(2, checkpoint_of(2), false);
  std::mt19937 source = fault_source();
  const std::vector<std::string> names = {
      "model.safetensors", "ema.safetensors", "optimizer.safetensors", "state.json", "DONE"};

  for (int i = 0; i < num_faults(50); ++i) {
    const fs::path spoilt = file(2, names[source() % names.size()]);
    const std::string whole = read_text_file(spoilt).value();
    std::ofstream(spoilt, std::ios::binary) << damaged(whole, source);

    const auto loaded = folder.newest(warn());

    ASSERT_TRUE(loaded) << i;
    ASSERT_THAT(loaded->step, testing::AnyOf(1, 2)) << i << " " << spoilt;
    expect_is_of_step(*loaded, loaded->step);
    ASSERT_FALSE(HasFailure()) << i << " " << spoilt;
    std::ofstream(spoilt, std::ios::binary) << whole;
  }
}

void flip_last_byte(const fs::path& path) {
  std::string bytes = read_text_file(path).value();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
}

INSTANTIATE_TEST_SUITE_P(
    All,
    CheckpointDamageTest,
    testing::Values(
        Damage{"FlippedBit",
               [](const fs::path& folder) { flip_last_byte(folder / "model.safetensors"); },
               "model.safetensors: checksum"},
        Damage{"Truncated",
               [](const fs::path& folder) { fs::resize_file(folder / "ema.safetensors", 20); },
               "ema.safetensors: 20 bytes"},
        Damage{"MissingFile",
               [](const fs::path& folder) { fs::remove(folder / "optimizer.safetensors"); },
               "optimizer.safetensors: cannot open"},
        Damage{"ChangedState",
               [](const fs::path& folder) { flip_last_byte(folder / "state.json"); },
               "state.json: checksum"},
        Damage{"NoSeal",
               [](const fs::path& folder) { fs::remove(folder / "DONE"); },
               "DONE: cannot open"},
        Damage{"EmptySeal",
               [](const fs::path& folder) { fs::resize_file(folder / "DONE", 0); },
               "DONE: not the seal"}),
    [](const auto& damage) { return damage.param.name; });

TEST_F(CheckpointTest, ADamagedBestIsNamedAndNotUsed) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), true);
  flip_last_byte(file(1, "ema.safetensors"));

  EXPECT_FALSE(folder.best(warn()));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("ema.safetensors: checksum")));
}

TEST_F(CheckpointTest, LeftoversOfACrashGoWithTheNextSave) {
  fs::create_directories(root_ / ".unfinished-step-000000003");
  std::ofstream(root_ / "best.part-123") << "3";
  CheckpointFolder folder(root_, 3);

  folder.save(4, checkpoint_of(4), false);

  EXPECT_THAT(names(), ElementsAre("step-000000004"));
}

// No file of this process may grow beyond the limit while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    signal_before_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_before_);
  }

 private:
  rlimit before_{};
  void (*signal_before_)(int) = nullptr;
};

std::string save_error(CheckpointFolder& folder, std::int64_t step, const Checkpoint& checkpoint) {
  try {
    folder.save(step, checkpoint, true);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class CheckpointWriteLimitTest : public CheckpointTest, public testing::WithParamInterface<int> {};

TEST_P(CheckpointWriteLimitTest, AFailedSaveIsAClearErrorAndLeavesTheOldOneWhole) {
  CheckpointFolder folder(root_, 1);
  folder.save(1, checkpoint_of(1), true);
  const Checkpoint large = checkpoint_of(2, 100'000);
  std::string error;
  {
    const FileSizeLimit limit(static_cast<rlim_t>(GetParam()));
    error = save_error(folder, 2, large);
  }

  EXPECT_THAT(error, HasSubstr("checkpoint of step 2"));
  EXPECT_THAT(error, HasSubstr("File too large"));
  EXPECT_THAT(error, HasSubstr("the checkpoints before it are whole"));
  EXPECT_THAT(names(), ElementsAre("best", "step-000000001"));
  expect_is_of_step(*folder.newest(warn()), 1);
  expect_is_of_step(*folder.best(warn()), 1);
}

TEST_P(CheckpointWriteLimitTest, NothingIsSaidOfEarlierOnesWhereThereAreNone) {
  CheckpointFolder folder(root_, 1);
  std::string error;
  {
    const FileSizeLimit limit(static_cast<rlim_t>(GetParam()));
    error = save_error(folder, 2, checkpoint_of(2, 100'000));
  }

  EXPECT_THAT(error, HasSubstr("checkpoint of step 2"));
  EXPECT_THAT(error, HasSubstr("File too large"));
  EXPECT_THAT(error, Not(HasSubstr("before it")));
}

INSTANTIATE_TEST_SUITE_P(Bytes, CheckpointWriteLimitTest, testing::Values(0, 100, 4096, 300'000));

TEST_F(CheckpointTest, OneWhoseWeightsAreNotFiniteIsPassedOver) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), false);
  Checkpoint diverged = checkpoint_of(2);
  diverged.weights.at("w")[3] = std::numeric_limits<float>::quiet_NaN();
  folder.save(2, diverged, false);

  expect_is_of_step(*folder.newest(warn()), 1);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_THAT(warnings_[0], HasSubstr("model.safetensors: w holds values that are not finite"));
  EXPECT_FALSE(load_checkpoint(root_ / "step-000000002").ok());
}

// As a crash leaves it where names cannot be exchanged at once.
TEST_F(CheckpointTest, OneThatWasBeingReplacedStillCounts) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), false);
  fs::rename(root_ / "step-000000001", root_ / ".replaced-step-000000001");

  expect_is_of_step(*folder.newest(warn()), 1);
  folder.save(2, checkpoint_of(2), false);

  EXPECT_THAT(folder.steps(), ElementsAre(1, 2));
  EXPECT_TRUE(fs::exists(root_ / "step-000000001"));
  EXPECT_FALSE(fs::exists(root_ / ".replaced-step-000000001"));
}

TEST_F(CheckpointTest, OneThatWasBeingReplacedIsKeptWhenItsPlaceIsRefused) {
  CheckpointFolder folder(root_, 3);
  folder.save(1, checkpoint_of(1), false);
  fs::rename(root_ / "step-000000001", root_ / ".replaced-step-000000001");
  std::ofstream(root_ / "step-000000001") << "in the way";

  folder.save(2, checkpoint_of(2), false);

  ASSERT_TRUE(fs::exists(root_ / ".replaced-step-000000001"));
  fs::remove(root_ / "step-000000001");
  EXPECT_THAT(folder.steps(), ElementsAre(1, 2));
}

TEST_F(CheckpointTest, AFolderThatCannotBeReadIsNotAnEmptyOne) {
  fs::create_directories(root_);
  const CheckpointFolder folder(root_ / std::string(300, 'x'), 1);  // ENAMETOOLONG

  EXPECT_THROW(folder.steps(), Error);
  EXPECT_THROW(folder.newest(warn()), Error);
}

TEST_F(CheckpointTest, ARefusalNamesItsErrnoAndAFittingRemedy) {
  CheckpointFolder folder(root_, 1);
  fs::create_directories(root_);
  std::ofstream(root_ / "step-000000001") << "in the way";

  try {
    folder.save(1, checkpoint_of(1), false);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(errno_of(error), ENOTDIR);
    EXPECT_THAT(error.what(), HasSubstr("Not a directory"));
    EXPECT_THAT(error.what(), HasSubstr("check the disk"));
  }
}

TEST_F(CheckpointTest, AFullDiskIsAClearErrorAndLeavesTheOldOneWhole) {
  fs::create_directories(root_);
  if (::mount("tmpfs", root_.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "may not mount a small disk here";
  }
  {
    CheckpointFolder folder(root_ / "run", 1);
    folder.save(1, checkpoint_of(1), false);

    EXPECT_THAT(save_error(folder, 2, checkpoint_of(2, 100'000)),
                HasSubstr("No space left on device"));

    expect_is_of_step(*folder.newest(warn()), 1);
    folder.save(3, checkpoint_of(3), false);
    EXPECT_THAT(folder.steps(), ElementsAre(3));
  }
  ::umount(root_.c_str());
}

TEST_F(CheckpointTest, APlaceThatIsNoFolderIsAClearError) {
  std::ofstream(root_) << "a file";
  CheckpointFolder folder(root_, 1);

  EXPECT_THAT(save_error(folder, 1, checkpoint_of(1)), HasSubstr("cannot make the folder"));
}

// Saves one step after the other, without end; tells the number of each that is done.
[[noreturn]] void save_for_ever(const fs::path& root, std::int64_t first, int done) {
  CheckpointFolder folder(root, 2);
  for (std::int64_t step = first;; ++step) {
    folder.save(step, checkpoint_of(step), step % 3 == 0);
    if (::write(done, &step, sizeof step) != sizeof step) {
      ::_exit(1);
    }
  }
}

// Lets a child save until it is killed, a random time after its first save that may reach into the
// third; the last step it reported.
std::int64_t save_until_killed(const fs::path& root, std::int64_t first, std::mt19937& random) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    save_for_ever(root, first, ends[1]);
  }
  ::close(ends[1]);
  std::int64_t last = -1;
  EXPECT_EQ(::read(ends[0], &last, sizeof last), ssize_t{sizeof last});
  const std::chrono::duration<double, std::micro> one_save =
      std::chrono::steady_clock::now() - begin;
  std::uniform_real_distribution<double> delay(0, 1.2 * one_save.count());
  ::usleep(static_cast<useconds_t>(delay(random)));  // the moment is what is tried, not awaited
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (std::int64_t step = 0; ::read(ends[0], &step, sizeof step) == ssize_t{sizeof step};) {
    last = step;
  }
  ::close(ends[0]);
  return last;
}

TEST_F(CheckpointTest, KilledAtAnyMomentNothingThatWasSavedIsLost) {
  constexpr int kKills = 50;
  std::mt19937 random(1);
  CheckpointFolder folder(root_, 2);
  std::int64_t next = 1;
  for (int kill = 0; kill < kKills; ++kill) {
    const std::int64_t reported = save_until_killed(root_, next, random);

    const auto newest = folder.newest(warn());
    ASSERT_TRUE(newest);
    ASSERT_THAT(newest->step, testing::AnyOf(reported, reported + 1));
    expect_is_of_step(*newest, newest->step);
    ASSERT_TRUE(newest->step < 3 || folder.best(warn()));
    ASSERT_THAT(warnings_, IsEmpty());
    next = newest->step + 1;
  }
}

}  // namespace
}  // namespace qanat
