// Opens clips of containers that are far away before workers ask for them, on threads that wait for
// the network and need no core: how many requests are under way does not depend on how many workers
// there are.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <tuple>
#include <vector>

#include "archive/stored_clip.h"

namespace qanat {

struct ReadAheadOptions {
  int requests = 16;             // under way at once
  Bytes budget = mebibytes(64);  // of clips that are there, or on their way
};

// Thread-safe.
class ReadAhead {
 public:
  // What one reader will open. Destroying it forgets what it did not open.
  class List {
   public:
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    ~List();

    // These will be opened next, in this order, behind those named before.
    void append(const std::vector<ClipPlace>& places);

   private:
    friend class ReadAhead;
    explicit List(ReadAhead& ahead) : ahead_(ahead) {}

    ReadAhead& ahead_;
    // The rest is guarded by the lock of `ahead_`.
    std::deque<ClipPlace> places_;  // to be fetched
    std::size_t next_ = 0;          // number of the first of them
  };

  explicit ReadAhead(ClipContainers containers, const ReadAheadOptions& options = {});
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  // Waits for the clips that are being fetched at this moment.
  ~ReadAhead();

  // May not outlive this.
  std::unique_ptr<List> make_list();

  // As ClipContainer: from what was read ahead where it was, else at once.
  Result<StoredClip> open(const ClipPlace& place);
  Result<FileIdentity> identity(const ClipPlace& place) const;

  const ReadAheadOptions& options() const { return options_; }

 private:
  using Key = std::tuple<std::uint32_t, std::int64_t, std::uint32_t>;

  // A clip on its way, or there.
  struct Ahead {
    const List* list = nullptr;  // null: forgotten
    std::size_t number = 0;      // in its list
    std::int64_t size = 0;
    std::optional<Result<StoredClip>> clip{};
    std::exception_ptr failure{};

    bool is_there() const { return clip.has_value() || failure != nullptr; }
  };

  static Key key_of(const ClipPlace& place) {
    return {place.container, place.offset.value, place.row};
  }
  const ClipContainer& container(const ClipPlace& place) const {
    return *containers_.at(place.container - 1);
  }
  void fetch_clips(const std::stop_token& stop);
  void fetch(std::unique_lock<std::mutex>& lock, List& list);
  List* next_list();
  void drop(std::map<Key, Ahead>::iterator clip);
  void catch_up(const ClipPlace& place);
  void drop_passed(const List* list, std::size_t number);
  void start_threads();

  const ClipContainers containers_;
  const ReadAheadOptions options_;
  std::mutex mutex_;                     // guards all below and the lists
  std::condition_variable_any changed_;  // lists, clips or bytes did
  std::list<List*> lists_;               // the one that was served last is last
  std::map<Key, Ahead> ahead_;
  std::int64_t bytes_ = 0;             // of ahead_
  std::vector<std::jthread> threads_;  // last: they use everything above
};

// A container whose clips are read ahead.
class AheadContainer final : public ClipContainer {
 public:
  explicit AheadContainer(std::shared_ptr<ReadAhead> ahead) : ahead_(std::move(ahead)) {}

  Result<StoredClip> open(const ClipPlace& place) const override { return ahead_->open(place); }
  Result<FileIdentity> identity(const ClipPlace& place) const override {
    return ahead_->identity(place);
  }

 private:
  const std::shared_ptr<ReadAhead> ahead_;  // shared by the containers of a set
};

}  // namespace qanat
