#include "pipeline/loader.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/thread.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/feature_errors.h"

namespace qanat {
namespace {

// Without a fixed window: where the autotuner starts, and how small it may become.
constexpr int kFirstWindow = 8;
constexpr int kMinWindow = 3;

// Failed substitutes for one row after which the data set counts as unusable.
constexpr int kMaxSubstitutes = 256;

std::size_t largest_batch(const BucketEdges& edges, const PayloadFormat& payload) {
  std::size_t bytes = 0;
  for (const BucketEdge& edge : edges) {
    bytes = std::max(bytes, make_layout(edge.shape(), payload).bytes);
  }
  return bytes;
}

double megabytes(std::size_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

[[noreturn]] void refuse_budget(const BucketEdge& edge, std::size_t bytes, const LoaderOptions& o) {
  BatchShape shape = edge.shape();
  const auto budget = static_cast<std::size_t>(o.budget.value);
  while (shape.rows > 0 && make_layout(shape, o.payload).bytes > budget) {
    --shape.rows;
  }
  throw MessageError(msg::batch_over_budget{
      .rows = edge.rows,
      .frames = edge.frames,
      .megabytes = plain(megabytes(bytes), 1),
      .budget = plain(megabytes(budget), 1),
      .remedy = shape.rows > 0
                    ? Message(msg::batch_size_fits{.rows = shape.rows})
                    : Message(msg::batch_budget_fits{.megabytes = plain(megabytes(bytes), 1)})});
}

BucketEdges edges_for(const std::vector<ItemLength>& lengths, const LoaderOptions& options) {
  BucketEdges edges = choose_edges(lengths, shared_batching(options));
  if (edges.empty()) {
    throw MessageError(msg::data_none_fits{.utterances = lengths.size(),
                                           .shortest = options.batching.min_frames,
                                           .longest = options.batching.max_frames,
                                           .tokens = options.batching.max_tokens});
  }
  const int fewest = std::ranges::min(edges, {}, &BucketEdge::rows).rows;
  if (fewest < options.world) {
    throw MessageError(msg::batch_too_few_rows{.rows = fewest, .processes = options.world});
  }
  for (const BucketEdge& edge : edges_of_a_rank(edges, options.world)) {
    const std::size_t bytes = make_layout(edge.shape(), options.payload).bytes;
    if (bytes > static_cast<std::size_t>(options.budget.value)) {
      refuse_budget(edge, bytes, options);
    }
  }
  return edges;
}

LoaderOptions checked(const LoaderOptions& options) {
  const auto at_least_one = [](const char* name, std::int64_t value) {
    if (value < 1) {
      throw Error("{}: {}; expected at least 1", name, value);
    }
  };
  at_least_one("world", options.world);
  at_least_one("group", options.group.value_or(options.world));
  at_least_one("workers", options.workers.value_or(options.max_workers));
  if (options.window.value_or(options.max_window) < 0) {
    throw Error("buffer size: {}; expected at least 0", *options.window);
  }
  at_least_one("epochs", options.epochs.value_or(1));
  if (!(options.max_bad_fraction >= 0 && options.max_bad_fraction <= 1)) {
    throw Error("max_bad_fraction: {}; expected 0 to 1", options.max_bad_fraction);
  }
  return options;
}

std::unique_ptr<BlockAllocator> allocator_of(LoaderInputs& inputs) {
  return inputs.blocks ? std::move(inputs.blocks) : make_host_allocator();
}

void add_origin(WorkerCounters& counters, RowOrigin origin) {
  switch (origin) {
    case RowOrigin::audio:
      counters.from_audio.add(1);
      break;
    case RowOrigin::store:
      counters.from_store.add(1);
      break;
    case RowOrigin::cache:
      counters.from_cache.add(1);
      break;
  }
}

// What a row is filled with when its planned utterance failed.
class RowSubstitutes {
 public:
  RowSubstitutes(const RowTask& task, std::span<const ItemLength> lengths)
      : planned_(task.slot->planned),
        candidates_(*planned_.plan, lengths, planned_.index, task.row) {
    task.slot->bad_rows.fetch_add(1);
  }

  // Throws Error when there is none, or too many failed.
  std::uint32_t next(const Failure& latest) {
    const std::optional<std::uint32_t> item =
        tried_ < kMaxSubstitutes ? candidates_.next() : std::nullopt;
    if (!item) {
      throw MessageError(msg::batch_no_substitute{.batch = planned_.index,
                                                  .epoch = planned_.plan->epoch(),
                                                  .tried = tried_ + 1,
                                                  .reason = reason_of(latest)});
    }
    ++tried_;
    return *item;
  }

 private:
  const PlannedBatch& planned_;
  Substitutes candidates_;
  int tried_ = 0;
};

// All blocks that it may come to hold are prepared for: a window full, and what the consumer has
// taken out of it.
std::shared_ptr<BlockPool> make_pool(std::size_t block_bytes,
                                     const LoaderOptions& options,
                                     std::unique_ptr<BlockAllocator> allocator) {
  constexpr std::int64_t kWithConsumer = 4;  // the ring has so many submitted
  auto pool = std::make_shared<BlockPool>(block_bytes, std::move(allocator));
  const std::int64_t affordable = options.budget.value / static_cast<std::int64_t>(block_bytes);
  pool->prepare(std::min(affordable, options.window.value_or(options.max_window) + kWithConsumer));
  return pool;
}

template <typename T>
void pad_tail(std::span<T> row, std::size_t used, T padding) {
  QANAT_CHECK(used <= row.size()) << "a row source wrote " << used << " of " << row.size();
  std::fill(row.begin() + static_cast<std::ptrdiff_t>(used), row.end(), padding);
}

}  // namespace

BatchingConfig shared_batching(const LoaderOptions& options) {
  const int group = options.group.value_or(options.world);
  BatchingConfig shared = options.batching;
  const std::int64_t rows = static_cast<std::int64_t>(shared.batch_size) * group;
  if (rows > std::numeric_limits<int>::max()) {
    throw Error(
        "batch size: {} for each of {} processes; expected fewer", shared.batch_size, group);
  }
  shared.batch_size = static_cast<int>(rows);
  if (shared.frame_budget) {
    *shared.frame_budget *= group;
  }
  return shared;
}

Loader::Loader(LoaderInputs inputs, const LoaderOptions& options, Position start)
    : options_(checked(options)),
      lengths_(std::move(inputs.lengths)),
      speakers_(std::move(inputs.speakers)),
      weights_(std::move(inputs.weights)),
      source_(std::move(inputs.source)),
      journal_(inputs.journal),
      on_row_(std::move(inputs.on_row)),
      on_bad_(std::move(inputs.on_bad)),
      edges_(edges_for(lengths_, options_)),
      rank_edges_(edges_of_a_rank(edges_, options_.world)),
      pool_(
          make_pool(largest_batch(rank_edges_, options_.payload), options_, allocator_of(inputs))),
      bad_(options.max_bad_fraction,
           options.batching.order,
           {.epoch = start.epoch, .index = start.batch},
           journal_),
      assembler_(
          first_plans(start),
          [this](std::int64_t epoch) {
            SharedPlan plan = make_plan(epoch);
            expect(*plan, 0);
            return plan;
          },
          pool_,
          [this](const PublishedBatch& batch) { return bad_.count(batch); },
          assembler_options()),
      counters_(static_cast<std::size_t>(num_threads())),
      tune_(tune_limits(), {.time = start_}),
      delivered_{.position = start} {
  journal_start();
  for (int number = 0; number < num_threads(); ++number) {
    workers_.push_back(
        start_thread(fmt::format("load-{}", number), [this, number](const std::stop_token& stop) {
          stay_on_cores(options_.cores);
          work(number, stop);
        }));
  }
}

Loader::~Loader() {
  for (std::jthread& worker : workers_) {
    worker.request_stop();  // all of them before the first is waited for
  }
}

SharedPlan Loader::make_plan(std::int64_t epoch) const {
  return std::make_shared<const BatchPlan>(plan_epoch({.lengths = lengths_,
                                                       .speakers = speakers_,
                                                       .weights = weights_,
                                                       .last = options_.last,
                                                       .edges = edges_,
                                                       .batching = shared_batching(options_),
                                                       .seed = options_.seed,
                                                       .epoch = epoch,
                                                       .rank = options_.rank,
                                                       .world = options_.world}));
}

void Loader::expect(const BatchPlan& plan, std::int64_t first_batch) const {
  std::vector<std::uint32_t> items;
  for (std::int64_t index = first_batch; index < plan.size(); ++index) {
    const BatchSpec spec = plan.batch(index);
    items.insert(items.end(), spec.items.begin(), spec.items.end());
  }
  source_->expect(items);
}

PlanSequence Loader::first_plans(Position start) {
  const SharedPlan plan = make_plan(start.epoch);
  batches_per_epoch_ = plan->size();
  const bool inside = start.epoch >= 0 && start.batch >= 0 && start.batch < batches_per_epoch_ &&
                      start.epoch < options_.epochs.value_or(start.epoch + 1);
  if (!inside) {
    throw Error(
        "start position: batch {} of epoch {}; expected a batch below {} of an epoch below {}",
        start.batch,
        start.epoch,
        batches_per_epoch_,
        options_.epochs ? std::to_string(*options_.epochs) : "infinity");
  }
  expect(*plan, start.batch);
  return PlanSequence(plan, start.batch, options_.epochs);
}

int Loader::max_blocks() const {
  const std::int64_t blocks =
      options_.budget.value / static_cast<std::int64_t>(pool_->block_bytes());
  return static_cast<int>(std::min<std::int64_t>(blocks, 1 << 20));
}

AssemblerOptions Loader::assembler_options() const {
  const TuneLimits limits = tune_limits();
  return {.payload = options_.payload,
          .window = options_.window ? limits.max_window : std::min(kFirstWindow, limits.max_window),
          .max_window = limits.max_window,
          .max_blocks = max_blocks(),
          .workers = std::clamp(options_.first_workers.value_or(limits.max_workers),
                                limits.min_workers,
                                limits.max_workers)};
}

TuneLimits Loader::tune_limits() const {
  const int max_window = std::min(options_.window.value_or(options_.max_window), max_blocks());
  return {.min_workers = options_.workers.value_or(1),
          .max_workers = num_threads(),
          .min_window = options_.window ? max_window : std::min(kMinWindow, max_window),
          .max_window = max_window};
}

std::map<std::string, double> Loader::padding_by_edges() const {
  constexpr int kMaxEdges = 64;
  const BatchingConfig batching = shared_batching(options_);
  std::set<int> edges{batching.max_edges};
  for (int more = 1; more <= kMaxEdges; more *= 2) {
    edges.insert(more);
  }
  std::map<std::string, double> padding;
  for (const int count : edges) {
    padding[std::to_string(count)] = planned_padding(lengths_, batching, count);
  }
  return padding;
}

void Loader::journal_start() const {
  if (journal_ == nullptr) {
    return;
  }
  journal_->record(LoaderStart{.workers = assembler_.workers(),
                               .workers_fixed = options_.workers.has_value(),
                               .window = assembler_.window(),
                               .window_asked = options_.window.value_or(0),
                               .budget = options_.budget,
                               .block = Bytes{static_cast<std::int64_t>(pool_->block_bytes())},
                               .buckets = edges_.size(),
                               .batches_per_epoch = batches_per_epoch_,
                               .epoch = delivered_.position.epoch,
                               .batch = delivered_.position.batch,
                               .padding = padding_by_edges()});
}

void Loader::work(int number, const std::stop_token& stop) {
  try {
    WorkerCounters& counters = counters_[static_cast<std::size_t>(number)];
    WorkerState state{.number = number, .counters = counters};
    WorkerMeter meter(counters);
    std::unique_ptr<RowFiller> filler;  // made when first needed: a parked worker costs nothing
    while (const auto task = assembler_.claim(state, stop)) {
      if (!filler) {
        filler = source_->make_filler();
      }
      fill_row(*filler, *task, state);
      meter.row_done();
      if (assembler_.finish(*task) && tune_.is_due(Clock::now())) {
        tune();
      }
    }
  } catch (...) {
    assembler_.fail(std::current_exception());
  }
}

void Loader::fill_row(RowFiller& filler, const RowTask& task, WorkerState& state) {
  WorkerCounters& counters = state.counters;
  const Clock::time_point start = Clock::now();
  Batch& batch = *task.slot->batch;
  const RowView view{.mel = batch.mel_row(task.row),
                     .pcm = batch.pcm_row(task.row),
                     .tokens = batch.token_row(task.row),
                     .mel_use = MelUse::later,
                     .epoch = batch.id().epoch};
  std::uint32_t item = task.slot->planned.spec().items[static_cast<std::size_t>(task.row)];
  Result<FilledRow> filled = filler.fill(item, view);
  std::optional<RowSubstitutes> substitutes;
  while (!filled) {
    counters.bad.add(1);
    if (!substitutes) {
      substitutes.emplace(task, lengths_);
    }
    report_bad(task, item, filled.failure());
    item = substitutes->next(filled.failure());
    filled = filler.fill(item, view);
  }
  finish_row(task, item, filled.value());

  const RowTimes& times = filled.value().times;
  counters.rows.add(1);
  add_origin(counters, filled.value().origin);
  counters.decode.add(times.decode);
  counters.mel.add(times.mel);
  counters.tokens.add(times.tokens);
  counters.copy.add(times.copy);
  counters.lock_wait.add(times.lock);
  const Clock::time_point end = Clock::now();
  const Seconds busy = end - start;
  counters.busy.add(busy);
  counters.row_times[LogHistogram::bucket_of(busy)].add(1);
  slow_rows_.add(item, busy);
  task.slot->work_ns.fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(busy).count());
  if (on_row_) {
    on_row_({.worker = state.number,
             .batch = batch.id(),
             .row = task.row,
             .item = item,
             .begin = start,
             .end = end});
  }
}

void Loader::finish_row(const RowTask& task, std::uint32_t item, const FilledRow& filled) const {
  Batch& batch = *task.slot->batch;
  const auto row = static_cast<std::size_t>(task.row);
  const PayloadFormat& payload = options_.payload;
  if (payload.kind == PayloadKind::mel_f32 || payload.mel_beside_pcm) {
    pad_tail(batch.mel_row(task.row),
             static_cast<std::size_t>(filled.frames) * static_cast<std::size_t>(payload.mel_bins),
             payload.mel_padding);
  }
  if (payload.kind == PayloadKind::pcm_s16) {
    pad_tail(batch.pcm_row(task.row), static_cast<std::size_t>(filled.samples), std::int16_t{0});
    batch.sample_lengths()[row] = filled.samples;
  }
  pad_tail(batch.token_row(task.row), static_cast<std::size_t>(filled.tokens), std::int32_t{0});
  batch.mel_lengths()[row] = filled.frames;
  batch.token_lengths()[row] = filled.tokens;
  batch.speakers()[row] = filled.speaker;
  batch.items()[row] = item;
}

void Loader::report_bad(const RowTask& task, std::uint32_t item, const Failure& why) {
  const BadRow bad{.batch = task.slot->batch->id(),
                   .row = task.row,
                   .item = item,
                   .file = source_->describe(item),
                   .reason = reason_of(why)};
  bad_.report(bad);
  if (on_bad_) {
    on_bad_(bad);
  }
}

TuneSample Loader::sample() const {
  const BufferStats ready = assembler_.ready_stats();
  TuneSample sample{
      .time = Clock::now(), .batches = ready.pushed, .consumer_wait = ready.pop_wait.total};
  for (const WorkerCounters& counters : counters_) {
    sample.busy += counters.busy.read();
  }
  if (options_.pace == PaceSource::reported) {
    const std::lock_guard lock(delivered_mutex_);
    sample.consumer_wait = delivered_.reported_wait;
  }
  return sample;
}

void Loader::tune() {
  const int workers = assembler_.workers();
  const int window = assembler_.window();
  const auto decision = tune_.observe(sample(), assembler_.watermarks(), workers, window);
  if (!decision) {
    return;
  }
  assembler_.reset_watermarks();
  if (decision->workers != workers) {
    assembler_.set_workers(decision->workers);
  }
  if (decision->window != window) {
    assembler_.set_window(decision->window);
  }
  const bool changed = decision->workers != workers || decision->window != window;
  if (changed && journal_ != nullptr) {
    journal_->record(AutotuneChange{.workers = decision->workers,
                                    .workers_before = workers,
                                    .workers_reason = decision->workers_reason,
                                    .window = decision->window,
                                    .window_before = window,
                                    .window_reason = decision->window_reason});
  }
}

std::optional<Batch> Loader::next(const std::stop_token& stop, std::optional<Seconds> timeout) {
  {
    const std::lock_guard lock(delivered_mutex_);
    if (delivered_.returned && options_.pace == PaceSource::calls) {
      const Seconds gap = seconds_since(*delivered_.returned);
      delivered_.busy += gap;
      tune_.add_gap(gap);
    }
  }
  std::optional<Batch> batch = assembler_.take(stop, timeout);
  if (batch) {
    record_delivery(*batch);
    return batch;
  }
  const std::lock_guard lock(delivered_mutex_);
  if (delivered_.returned) {
    delivered_.returned = Clock::now();  // what came before is counted
  }
  return batch;
}

void Loader::report_step(Seconds own, Seconds waited) {
  if (options_.pace != PaceSource::reported) {
    return;
  }
  const std::lock_guard lock(delivered_mutex_);
  delivered_.busy += own;
  delivered_.reported_wait += waited;
  tune_.add_gap(own);
}

void Loader::record_delivery(const Batch& batch) {
  const std::span<const std::int32_t> lengths = batch.mel_lengths();
  const std::int64_t frames = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const BatchId id = batch.id();
  const bool is_last = id.index + 1 == batches_per_epoch_;

  const std::lock_guard lock(delivered_mutex_);
  delivered_.position = is_last ? Position{.epoch = id.epoch + 1, .batch = 0}
                                : Position{.epoch = id.epoch, .batch = id.index + 1};
  ++delivered_.batches;
  delivered_.rows += batch.rows();
  delivered_.frames += FrameCount{frames};
  delivered_.padded_frames += FrameCount{std::int64_t{batch.rows()} * batch.frames()};
  delivered_.bytes += Bytes{static_cast<std::int64_t>(batch.bytes().size())};
  delivered_.returned = Clock::now();
}

Position Loader::position() const {
  const std::lock_guard lock(delivered_mutex_);
  return delivered_.position;
}

}  // namespace qanat
