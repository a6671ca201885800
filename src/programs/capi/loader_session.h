// A loader for callers that know nothing of C++: opens in the background, wakes up when it is told
// to, hands batches out by number, and says what is wrong instead of breaking.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>
#include <sys/types.h>
#include <unistd.h>

#include "app/make_loader.h"
#include "base/error.h"
#include "base/time.h"
#include "batch/batch.h"
#include "batch/block_pool.h"
#include "capi/damage_log.h"
#include "capi/loader_set.h"
#include "capi/loader_settings.h"
#include "capi/row_table.h"
#include "pipeline/loader.h"
#include "text/text_front_end.h"

namespace qanat {

// How the session was used, where that is not what it is for.
enum class Misuse {
  invalid,  // an argument
  closed,   // after close()
  busy,     // another thread takes a batch
  held,     // batches that were not released hold all the memory there is
};

class MisuseError : public Error {
 public:
  MisuseError(Misuse kind, const Message& what);
  Misuse kind() const { return kind_; }

 private:
  Misuse kind_;
};

// Shared by the session and by whoever exported an array of it: the last one gives the memory back.
using SharedBatch = std::shared_ptr<const Batch>;

struct LeasedBatch {
  std::int64_t lease = 0;
  SharedBatch batch;
};

// Every method is thread-safe; of those that take or seek, a second one at the same time is
// refused.
class LoaderSession {
 public:
  // Where a loader's batches have their memory from; empty: plain memory of the host.
  using MakeBlocks = std::function<std::unique_ptr<BlockAllocator>()>;

  // Begins to read the data set on a thread of its own. `rows` are the data set instead of the one
  // that the settings name; the audio in them stays until this is gone.
  explicit LoaderSession(LoaderSettings settings,
                         MakeBlocks make_blocks = {},
                         std::optional<RowTable> rows = std::nullopt);
  LoaderSession(const LoaderSession&) = delete;
  LoaderSession& operator=(const LoaderSession&) = delete;
  ~LoaderSession();  // close()

  // False after the timeout. Throws what opening failed with.
  bool wait_until_open(Seconds timeout);
  // Null after the timeout. Whoever takes it keeps its memory until nobody refers to it any more.
  SharedBatch take(Seconds timeout);
  // The same by number: the session keeps it until it is released. Nothing after the timeout.
  std::optional<LeasedBatch> next(Seconds timeout);
  void release(std::int64_t lease) noexcept;

  Position position() const;
  void seek(Position position);
  // The loader goes on at the beginning, with batches that were cut for `processes` of them.
  void cut_for(int processes);
  nlohmann::json facts() const;
  nlohmann::json utterance(std::int64_t item) const;
  // Views of the data set, which stays as it is once it was read. Throws when there is no such
  // item.
  std::string_view text_of(std::int64_t item) const;
  // {"left_out": [...], "failed": [...]}, as damage_log.h has them.
  nlohmann::json damaged() const;
  // What made the tokens. Throws before the data set was read: its texts teach symbols.
  std::shared_ptr<const TextFrontEnd> text() const;
  bool has_tokens() const { return settings_.text == TextUse::tokens; }
  PipelineStats stats() const;
  pid_t owner() const { return owner_; }  // the process whose threads fill the batches

  // Stops everything, waits for the rows being filled; batches that are out stay.
  void close() noexcept;

 private:
  void open(const std::stop_token& stop);
  bool read_set(const std::stop_token& stop);
  std::shared_ptr<Loader> start_loader(Position position) const;
  void restart(std::shared_ptr<Loader> loader, Position position);
  LoaderOptions shared_options() const;
  PayloadFormat payload() const;
  const UtteranceSet& set_that_was_read() const;
  const Utterance& known_utterance(std::int64_t item) const;
  std::shared_ptr<Loader> running() const;  // throws when closed, failed or not open yet
  void refuse_when_all_is_held() const;
  void adopt(std::shared_ptr<Loader> loader, std::exception_ptr failure);
  std::unique_lock<std::mutex> take_turn();

  const pid_t owner_ = ::getpid();
  const LoaderSettings settings_;
  const MakeBlocks make_blocks_;
  const std::shared_ptr<TextFrontEnd> text_;  // shared with the loader
  std::optional<RowTable> rows_;              // until the set is read
  LoaderOptions options_;                     // written before open_ is set, like the one below
  LoaderSet set_;
  const std::shared_ptr<DamageLog> damage_ =
      std::make_shared<DamageLog>();  // shared with the loader

  std::mutex turn_;  // held by the thread that takes or seeks
  std::stop_source closing_;

  mutable std::mutex mutex_;  // guards everything below; never held while waiting for a batch
  std::condition_variable opened_;
  bool open_ = false;
  std::exception_ptr failure_;
  int group_;                       // processes that the batches are cut for
  std::shared_ptr<Loader> loader_;  // shared with the call that uses it
  std::int64_t block_bytes_ = 0;    // of loader_'s largest batch
  // Batches of loader_ that somebody keeps; shared with them.
  std::shared_ptr<std::atomic<std::int64_t>> kept_;
  std::unordered_map<std::int64_t, SharedBatch> leases_;
  std::int64_t last_lease_ = 0;

  std::jthread opener_;  // last: it uses everything above
};

}  // namespace qanat
