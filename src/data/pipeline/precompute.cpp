#include "pipeline/precompute.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/content_hash.h"
#include "base/result.h"
#include "base/thread.h"
#include "batch/batch_plan.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/translator.h"
#include "pipeline/bounded_buffer.h"
#include "pipeline/row_source.h"

namespace qanat {
namespace {

struct FeatureTask {
  std::uint32_t item = 0;  // of the RowSource
  ItemLength length;       // as the index knows it
};

struct MadeFeatures {
  std::vector<float> mel;  // [frames, mel_bins]
  std::vector<std::int32_t> tokens;
};

// The threads of precompute(): they make features, the caller takes them in the order of the work.
//
// Worker w of n makes the items w, w + n, w + 2n, ... and has a buffer of its own; the caller
// empties the buffers in turn. So the order is that of the work whatever the workers' speed, and
// what is in memory is bounded by the buffers.
//
// Fixture. next() is for one thread; the destructor waits for the utterances being made.
class FeatureWorkers {
 public:
  // `source` and `tasks` outlive the workers.
  FeatureWorkers(const RowSource& source,
                 std::span<const FeatureTask> tasks,
                 int mel_bins,
                 int workers);
  FeatureWorkers(const FeatureWorkers&) = delete;
  FeatureWorkers& operator=(const FeatureWorkers&) = delete;
  ~FeatureWorkers() = default;

  // The features of the first task, then of the second, ...; nullopt after the last or when asked
  // to stop. Rethrows what a worker threw.
  std::optional<Result<MadeFeatures>> next(const std::stop_token& stop);

 private:
  using Buffer = BoundedBuffer<Result<MadeFeatures>>;

  void work(std::size_t worker, const std::stop_token& stop);
  Result<MadeFeatures> make(RowFiller& filler, const FeatureTask& task) const;

  const RowSource& source_;
  std::span<const FeatureTask> tasks_;
  std::size_t mel_bins_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<Buffer>> buffers_;  // one per worker
  std::vector<std::jthread> threads_;             // last: use the fields above
};

// Evens out long and short utterances between workers; about a megabyte each.
constexpr std::size_t kBufferedPerWorker = 8;

FeatureWorkers::FeatureWorkers(const RowSource& source,
                               std::span<const FeatureTask> tasks,
                               int mel_bins,
                               int workers)
    : source_(source), tasks_(tasks), mel_bins_(static_cast<std::size_t>(mel_bins)) {
  QANAT_CHECK(workers > 0 && mel_bins > 0) << workers << " workers, " << mel_bins << " mel bins";
  const auto count = static_cast<std::size_t>(workers);
  for (std::size_t i = 0; i < count; ++i) {
    buffers_.push_back(std::make_unique<Buffer>(kBufferedPerWorker));
  }
  for (std::size_t i = 0; i < count; ++i) {
    threads_.push_back(start_thread(fmt::format("precompute {}", i),
                                    [this, i](const std::stop_token& stop) { work(i, stop); }));
  }
}

std::optional<Result<MadeFeatures>> FeatureWorkers::next(const std::stop_token& stop) {
  if (next_ == tasks_.size()) {
    return std::nullopt;
  }
  return buffers_[next_++ % buffers_.size()]->pop(stop);
}

void FeatureWorkers::work(std::size_t worker, const std::stop_token& stop) {
  Buffer& buffer = *buffers_[worker];
  try {
    const std::unique_ptr<RowFiller> filler = source_.make_filler();
    for (std::size_t i = worker; i < tasks_.size(); i += buffers_.size()) {
      if (stop.stop_requested() || !buffer.push(make(*filler, tasks_[i]), stop)) {
        return;
      }
    }
  } catch (...) {
    buffer.fail(std::current_exception());
  }
}

Result<MadeFeatures> FeatureWorkers::make(RowFiller& filler, const FeatureTask& task) const {
  MadeFeatures made;
  made.mel.resize(task.length.frames * mel_bins_);
  made.tokens.resize(task.length.tokens);
  const Result<FilledRow> filled =
      filler.fill(task.item, {.mel = made.mel, .pcm = {}, .tokens = made.tokens});
  if (!filled) {
    return filled.failure();
  }
  made.mel.resize(static_cast<std::size_t>(filled.value().frames) * mel_bins_);
  made.tokens.resize(static_cast<std::size_t>(filled.value().tokens));
  return made;
}

// Fixture: one call of precompute().
class PrecomputeRun {
 public:
  PrecomputeRun(const PrecomputeInputs& inputs, const PrecomputeOptions& options)
      : inputs_(inputs),
        options_(options),
        lock_(FeatureFolderLock::acquire(options.folder, options.share)),
        store_(FeatureStore::open(options.folder, inputs.fingerprint)) {}

  PrecomputeReport run() {
    report_.num_leftovers = lock_.remove_leftovers();
    if (!look()) {
      report_.stopped = true;
      return std::move(report_);
    }
    plan();
    make();
    if (!report_.stopped && options_.share.rank == 0) {
      remove_spent_shards();
    }
    return std::move(report_);
  }

 private:
  bool look();
  void plan();
  void make();
  void make_tasks(FeatureStoreWriter& writer);
  void carry_over(FeatureStoreWriter& writer);
  void keep(FeatureStoreWriter& writer, const FeatureTask& task, const Result<MadeFeatures>& made);
  Result<Done> check_unchanged(std::uint32_t item) const;
  void remove_spent_shards();
  void report_progress(std::int64_t done, std::int64_t total) const;

  const PrecomputeInputs& inputs_;
  const PrecomputeOptions& options_;
  FeatureFolderLock lock_;
  FeatureStore store_;
  std::vector<FeatureTask> tasks_;
  std::int64_t num_added_ = 0;
  PrecomputeReport report_;
};

MelDtype dtype_in(const FeatureStore& store) {
  return store.shards().empty() ? MelDtype::f32 : store.shards().back().reader.settings().dtype;
}

bool PrecomputeRun::look() {
  report_.dtype = options_.dtype.value_or(dtype_in(store_));
  std::optional<FeatureAudit> found = audit_features(
      store_,
      inputs_.manifest,
      inputs_.index,
      {.dtype = options_.dtype, .progress = options_.audit_progress, .stop = options_.stop});
  if (!found) {
    return false;
  }
  report_.found = std::move(*found);
  return true;
}

void PrecomputeRun::plan() {
  for (const IndexFailure& failure : inputs_.index.failures) {
    if (options_.share.has(failure.item)) {
      report_.failures.push_back({.item = failure.item, .reason = failure.reason});
    }
  }
  for (std::size_t i = 0; i < report_.found.states.size(); ++i) {
    const std::optional<FeatureState> state = report_.found.states[i];
    if (!state || *state == FeatureState::fresh || !options_.share.has(i)) {
      continue;
    }
    const IndexEntry& entry = inputs_.index.entries[i];
    const FrameCount frames = mel_frames(entry.samples, inputs_.mel);
    tasks_.push_back({.item = static_cast<std::uint32_t>(i),
                      .length = {.frames = static_cast<std::uint32_t>(frames.value),
                                 .tokens = static_cast<std::uint32_t>(entry.tokens.value)}});
  }
}

void PrecomputeRun::report_progress(std::int64_t done, std::int64_t total) const {
  if (options_.progress) {
    options_.progress(done, total);
  }
}

void PrecomputeRun::make() {
  FeatureStoreWriter writer(lock_,
                            {.fingerprint = inputs_.fingerprint,
                             .dtype = report_.dtype,
                             .mel_bins = static_cast<std::uint32_t>(inputs_.mel.mel_bins)},
                            options_.shard_limit);
  make_tasks(writer);
  carry_over(writer);
  if (!report_.stopped) {
    writer.finish();
  }
  report_.num_made = std::min(num_added_, writer.num_entries());  // carried entries come last
  report_.num_shards = writer.num_shards();
  report_.bytes = writer.bytes();
}

void PrecomputeRun::make_tasks(FeatureStoreWriter& writer) {
  FeatureWorkers workers(inputs_.source, tasks_, inputs_.mel.mel_bins, options_.workers);
  const auto total = static_cast<std::int64_t>(tasks_.size());
  report_progress(0, total);
  for (std::int64_t done = 0; done < total; ++done) {
    const std::optional<Result<MadeFeatures>> made = workers.next(options_.stop);
    if (!made) {
      report_.stopped = true;
      return;
    }
    keep(writer, tasks_[static_cast<std::size_t>(done)], *made);
    report_progress(done + 1, total);
  }
}

// What is worth keeping in shards that go. Damage found on the way is not carried on.
void PrecomputeRun::carry_over(FeatureStoreWriter& writer) {
  std::vector<float> mel;
  std::vector<std::int32_t> tokens;
  PageBuffer scratch;
  if (options_.share.rank != 0) {
    return;  // one of them tidies up
  }
  for (const FeatureEntry& entry : report_.found.carried) {
    report_.stopped = report_.stopped || options_.stop.stop_requested();
    if (report_.stopped) {
      return;
    }
    mel.resize(static_cast<std::size_t>(entry.frames.value * inputs_.mel.mel_bins));
    tokens.resize(static_cast<std::size_t>(entry.tokens.value));
    const Result<Done> read = store_.read(entry, {.mel = mel, .tokens = tokens}, scratch);
    if (!read && read.failure().trouble) {  // it may be whole, and its shard goes
      throw Error(read.failure());
    }
    if (read) {
      const ShardEntry stored = store_.shards()[entry.shard].reader.entry(entry.index);
      writer.add({.id = stored.id, .key = stored.key, .mel = mel, .tokens = tokens});
    }
  }
}

void PrecomputeRun::keep(FeatureStoreWriter& writer,
                         const FeatureTask& task,
                         const Result<MadeFeatures>& made) {
  const auto refuse = [&](const Failure& failure) {
    report_.failures.push_back({.item = task.item, .reason = reason_of(failure)});
  };
  if (!made) {
    return refuse(made.failure());
  }
  if (const Result<Done> unchanged = check_unchanged(task.item); !unchanged) {
    return refuse(unchanged.failure());
  }
  const Utterance& utterance = inputs_.manifest.utterances[task.item];
  ++num_added_;
  writer.add({.id = utterance.id,
              .key = feature_key(utterance, inputs_.index.entries[task.item]),
              .mel = made.value().mel,
              .tokens = made.value().tokens});
}

// Features are filed under the identity the index knows; a file that was replaced since must not
// be taken for that one.
Result<Done> PrecomputeRun::check_unchanged(std::uint32_t item) const {
  const std::filesystem::path path =
      audio_path(inputs_.manifest, inputs_.manifest.utterances[item]);
  const Utterance& utterance = inputs_.manifest.utterances[item];
  const ClipContainer* const container = container_of(inputs_.manifest, utterance);
  const Result<FileIdentity> now =
      container == nullptr ? read_file_identity(path) : container->identity(utterance.place);
  if (!now) {
    return now.failure();
  }
  if (now.value() != inputs_.index.entries[item].identity) {
    return to_failure(msg::set_changed_while_read{.file = path.string()});
  }
  return Done{};
}

void PrecomputeRun::remove_spent_shards() {
  for (const std::filesystem::path& path : report_.found.spent) {
    std::error_code ignored;  // what stays is superseded and does no harm
    report_.num_removed += std::filesystem::remove(path, ignored) ? 1 : 0;
  }
}

}  // namespace

PrecomputeReport precompute(const PrecomputeInputs& inputs, const PrecomputeOptions& options) {
  return PrecomputeRun(inputs, options).run();
}

}  // namespace qanat
