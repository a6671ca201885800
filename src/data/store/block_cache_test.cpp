#include "store/block_cache.h"

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHalf = kStoreBlock / 2;

std::vector<std::byte> block_of(char letter, std::size_t size = kHalf) {
  return std::vector<std::byte>(size, static_cast<std::byte>(letter));
}

class BlockCacheTest : public ::testing::Test {
 protected:
  BlockCacheOptions options(Bytes budget = mebibytes(64)) const {
    return {.folder = folder_.path() / "blocks", .budget = budget, .spare = Bytes{0}};
  }
  // What is kept; empty: nothing.
  static std::string read(BlockCache& cache, const BlockKey& key) {
    std::string bytes(kHalf, '?');
    return cache.read(key, 0, std::as_writable_bytes(std::span(bytes))) ? bytes : "";
  }
  static void put(BlockCache& cache, const BlockKey& key, char letter) {
    ASSERT_TRUE(cache.reserve(kHalf));
    cache.keep(key, block_of(letter));
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "blocks")) {
      if (entry.path().extension() == ".block" || entry.path().extension() == ".tmp") {
        found.push_back(entry.path());
      }
    }
    return found;
  }

  const TemporaryFolder folder_;
};

TEST_F(BlockCacheTest, GivesBackWhatItKeeps) {
  BlockCache cache(options());
  put(cache, {.object = 7, .number = 3}, 'a');

  EXPECT_EQ(read(cache, {.object = 7, .number = 3}), std::string(kHalf, 'a'));
  EXPECT_EQ(read(cache, {.object = 7, .number = 4}), "");
  EXPECT_EQ(read(cache, {.object = 8, .number = 3}), "");
}

TEST_F(BlockCacheTest, IsReadByTheNextProcess) {
  {
    BlockCache cache(options());
    put(cache, {.object = 7, .number = 3}, 'a');
  }
  BlockCache next(options());

  EXPECT_EQ(read(next, {.object = 7, .number = 3}), std::string(kHalf, 'a'));
  EXPECT_GT(next.used(), Bytes{static_cast<std::int64_t>(kHalf)});
}

TEST_F(BlockCacheTest, GivesNothingThatIsDamaged) {
  {
    BlockCache cache(options());
    put(cache, {.object = 7, .number = 3}, 'a');
  }
  {
    std::fstream file(files().front(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(5000);
    file.put('b');
  }
  BlockCache next(options());

  EXPECT_EQ(read(next, {.object = 7, .number = 3}), "");
  EXPECT_FALSE(next.has({.object = 7, .number = 3}));
}

TEST_F(BlockCacheTest, GivesNothingThatIsCutOff) {
  {
    BlockCache cache(options());
    put(cache, {.object = 7, .number = 3}, 'a');
  }
  fs::resize_file(files().front(), 1000);
  BlockCache next(options());

  EXPECT_EQ(read(next, {.object = 7, .number = 3}), "");
}

TEST_F(BlockCacheTest, GivesNothingThatIsOfAnotherBlock) {
  {
    BlockCache cache(options());
    put(cache, {.object = 7, .number = 3}, 'a');
  }
  fs::rename(files().front(), files().front().parent_path() / "000004.block");
  BlockCache next(options());

  EXPECT_EQ(read(next, {.object = 7, .number = 4}), "");
}

TEST_F(BlockCacheTest, ThrowsAwayWhatWasUsedLongestAgo) {
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  {
    BlockCache cache(options(mebibytes(4)));
    for (int i = 0; i < 7; ++i) {
      put(cache, {.object = 1, .number = i}, 'a');
    }
  }
  for (const fs::path& file : files()) {
    const int number = std::stoi(file.stem().string());
    fs::last_write_time(file, old + std::chrono::minutes(number));
  }
  BlockCache next(options(mebibytes(4)));
  put(next, {.object = 2, .number = 0}, 'b');
  put(next, {.object = 2, .number = 1}, 'b');

  EXPECT_EQ(read(next, {.object = 1, .number = 0}), "");
  EXPECT_NE(read(next, {.object = 1, .number = 6}), "");
  EXPECT_NE(read(next, {.object = 2, .number = 1}), "");
  EXPECT_LE(next.used(), mebibytes(4));
}

TEST_F(BlockCacheTest, KeepsWhatThisRunUsed) {
  BlockCache cache(options(mebibytes(2)));
  for (int i = 0; i < 3; ++i) {
    put(cache, {.object = 1, .number = i}, 'a');
  }

  EXPECT_FALSE(cache.reserve(kStoreBlock));
  EXPECT_NE(read(cache, {.object = 1, .number = 0}), "");
}

TEST_F(BlockCacheTest, LeavesRoomOnTheDisk) {
  BlockCacheOptions greedy = options();
  greedy.spare = Bytes{std::int64_t{1} << 60};
  BlockCache cache(greedy);

  EXPECT_FALSE(cache.reserve(kStoreBlock));
}

TEST_F(BlockCacheTest, IsPrivate) {
  const BlockCache cache(options());

  EXPECT_EQ(fs::status(folder_.path() / "blocks").permissions(), fs::perms::owner_all);
}

// A process that is killed while it writes, again and again.
TEST_F(BlockCacheTest, SurvivesKill9) {
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      BlockCache cache(options());
      for (int i = 0;; i = (i + 1) % 50) {
        if (cache.reserve(kHalf)) {
          cache.keep({.object = 1, .number = i}, block_of(static_cast<char>('a' + i % 26)));
        }
      }
    }
    ::usleep(static_cast<useconds_t>(3000 + 1700 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  BlockCache cache(options());
  int kept = 0;
  for (int i = 0; i < 50; ++i) {
    const std::string bytes = read(cache, {.object = 1, .number = i});
    kept += bytes.empty() ? 0 : 1;
    EXPECT_TRUE(bytes.empty() || bytes == std::string(kHalf, static_cast<char>('a' + i % 26)));
  }

  EXPECT_GT(kept, 0);
}

TEST_F(BlockCacheTest, ThrowsAwayWhatKilledProcessesLeft) {
  const fs::path left = folder_.path() / "blocks" / "0001" / "5-0.tmp";
  make_folders(left.parent_path());
  write_text_file(left, "half a block");
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));

  const BlockCache cache(options());

  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace qanat
