#include "replicas/heartbeat.h"

#include <map>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

namespace qanat {
namespace {

// A store inside this process that can be cut off.
struct Board {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
  bool is_cut = false;
  int told = 0;  // of somebody who is gone, or that this is known; whether it succeeded or not
};

class BoardTexts : public SharedTexts {
 public:
  explicit BoardTexts(std::shared_ptr<Board> board) : board_(std::move(board)) {}

  void set(const std::string& name, const std::string& text) override {
    const std::lock_guard lock(board_->mutex);
    board_->told += name.starts_with("known/") ? 1 : 0;
    check();
    board_->texts[name] = text;
  }
  std::optional<std::string> get(const std::string& name) override {
    const std::lock_guard lock(board_->mutex);
    check();
    const auto found = board_->texts.find(name);
    return found == board_->texts.end() ? std::nullopt : std::optional(found->second);
  }
  std::string set_once(const std::string& name, const std::string& text) override {
    const std::lock_guard lock(board_->mutex);
    ++board_->told;
    check();
    return board_->texts.emplace(name, text).first->second;
  }

 private:
  void check() const {
    if (board_->is_cut) {
      throw std::runtime_error("no route to host");
    }
  }

  const std::shared_ptr<Board> board_;
};

class HeartbeatTest : public testing::Test {
 protected:
  std::unique_ptr<Heartbeat> start(int rank, int world, double timeout = 60) {
    return std::make_unique<Heartbeat>(
        std::make_unique<BoardTexts>(board_),
        HeartbeatOptions{.rank = rank, .world = world, .timeout = Seconds(timeout)});
  }

  std::shared_ptr<Board> board_ = std::make_shared<Board>();
};

TEST_F(HeartbeatTest, NobodyIsLostWhileAllShowSigns) {
  const auto first = start(0, 2, 1);
  const auto second = start(1, 2, 1);

  EXPECT_FALSE(first->find_lost());
  EXPECT_FALSE(second->find_lost());
}

TEST_F(HeartbeatTest, TheOneWithoutSignsIsNamedWithItsLastStep) {
  const auto first = start(0, 3, 1);
  const auto second = start(1, 3, 1);
  auto third = start(2, 3, 1);
  third->at_step(41);
  EXPECT_FALSE(first->find_lost());  // several rounds: the step has been heard

  third.reset();

  const std::optional<LostReplica> lost = first->find_lost();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->rank, 2);
  EXPECT_EQ(lost->step, 41);
  EXPECT_TRUE(lost->reason.empty());
}

TEST_F(HeartbeatTest, OneThatSaysWhyItGoesIsNamedWithItsReason) {
  const auto first = start(0, 2, 1);
  const auto second = start(1, 2, 1);
  second->at_step(7);

  second->publish_failure("disk full");

  const std::optional<LostReplica> lost = first->find_lost();
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->rank, 1);
  EXPECT_EQ(lost->step, 7);
  EXPECT_EQ(lost->reason, "disk full");
}

TEST_F(HeartbeatTest, TheFirstNameStands) {
  const auto first = start(0, 4);
  const auto second = start(1, 4);

  first->publish({.rank = 2, .step = 5});

  EXPECT_EQ(second->publish({.rank = 3, .step = 9}).rank, 2);
}

TEST_F(HeartbeatTest, WhoCannotReachTheStoreHasLostRankZero) {
  const auto second = start(1, 3, 1);
  {
    const std::lock_guard lock(board_->mutex);
    board_->is_cut = true;
  }

  const std::optional<LostReplica> lost = second->find_lost();

  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->rank, 0);
}

// Each call to a store that is gone takes seconds, and the process is to name it and exit in time.
TEST_F(HeartbeatTest, AStoreThatIsGoneIsNotAskedAgain) {
  const auto second = start(1, 2, 1);
  {
    const std::lock_guard lock(board_->mutex);
    board_->is_cut = true;
  }
  const std::optional<LostReplica> lost = second->find_lost();
  ASSERT_TRUE(lost);

  second->publish(*lost);
  EXPECT_EQ(second->publish({.rank = 1}).rank, 0);
  second->publish_failure("out of memory");
  second->wait_until_others_know();

  const std::lock_guard lock(board_->mutex);
  EXPECT_EQ(board_->told, 0);
}

TEST_F(HeartbeatTest, AfterTheEndNobodyIsMissed) {
  const auto first = start(0, 2, 1);
  first->publish({.rank = 1});

  first->close();

  EXPECT_FALSE(first->lost());
}

}  // namespace
}  // namespace qanat
