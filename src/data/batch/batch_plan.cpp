#include "batch/batch_plan.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "batch/random.h"
#include "batch/weighted_items.h"

namespace qanat {
namespace {

// What a random sequence is for: part of its key.
enum class Purpose : std::uint64_t { bucket_order, batch_order, substitute, dropped };

std::uint64_t key(Purpose purpose) {
  return static_cast<std::uint64_t>(purpose);
}

template <typename T>
std::uint64_t key(T number) {
  return static_cast<std::uint64_t>(number);
}

constexpr int kSubstitutesInTurn = 8;  // of one bucket, before another one is tried

// The utterances of each speaker in the order of `items`, to be taken from the front.
class SpeakerQueues {
 public:
  SpeakerQueues(std::span<const std::uint32_t> items, std::span<const int> speakers)
      : items_(items), next_(items.size(), kNone), taken_(items.size()) {
    for (std::size_t i = items.size(); i-- > 0;) {
      const auto speaker = static_cast<std::size_t>(speakers[items[i]]);
      if (speaker >= first_.size()) {
        first_.resize(speaker + 1, kNone);
      }
      next_[i] = std::exchange(first_[speaker], static_cast<std::uint32_t>(i));
    }
  }

  bool is_waiting(std::size_t position) const { return !taken_[position]; }
  // Nothing when the speaker has no more.
  std::optional<std::uint32_t> take(int speaker) {
    std::uint32_t& first = first_[static_cast<std::size_t>(speaker)];
    if (first == kNone) {
      return std::nullopt;
    }
    taken_[first] = true;
    return items_[std::exchange(first, next_[first])];
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::span<const std::uint32_t> items_;
  std::vector<std::uint32_t> next_;   // position of the next of the same speaker
  std::vector<std::uint32_t> first_;  // by speaker
  std::vector<bool> taken_;
};

// Moves the next utterance of the same speaker behind each, unless a batch of `rows` ends there;
// the last row of a batch that has no room for two goes to the speaker before it.
void pair_speakers(std::span<std::uint32_t> items,
                   std::span<const int> speakers,
                   std::size_t rows) {
  SpeakerQueues queues(items, speakers);
  std::vector<std::uint32_t> paired;
  paired.reserve(items.size());
  const auto take_next_of = [&](int speaker) {
    if (const std::optional<std::uint32_t> item = queues.take(speaker)) {
      paired.push_back(*item);
    }
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (queues.is_waiting(i) && paired.size() % rows == rows - 1 && rows > 1) {
      take_next_of(speakers[paired.back()]);
    }
    if (queues.is_waiting(i)) {
      take_next_of(speakers[items[i]]);  // this one: those before it are taken
      if (paired.size() % rows != 0) {
        take_next_of(speakers[items[i]]);
      }
    }
  }
  std::ranges::copy(paired, items.begin());
}

// Moves rows that have no partner of their speaker behind the pairs of a batch.
class PairsFirst {
 public:
  explicit PairsFirst(std::span<const int> speakers)
      : speakers_(speakers),
        waiting_(speakers.empty() ? 0 : key(std::ranges::max(speakers)) + 1, kNone) {}

  void arrange(std::span<std::uint32_t> items) {
    std::vector<std::uint32_t> paired;
    paired.reserve(items.size());
    for (const std::uint32_t item : items) {
      std::uint32_t& waiting = waiting_of(item);
      if (waiting == kNone) {
        waiting = item;
      } else {
        paired.push_back(std::exchange(waiting, kNone));
        paired.push_back(item);
      }
    }
    for (const std::uint32_t item : items) {
      if (waiting_of(item) == item) {
        paired.push_back(std::exchange(waiting_of(item), kNone));
      }
    }
    std::ranges::copy(paired, items.begin());
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t& waiting_of(std::uint32_t item) { return waiting_[key(speakers_[item])]; }

  std::span<const int> speakers_;
  std::vector<std::uint32_t> waiting_;  // by speaker: the item without a partner so far
};

}  // namespace

// Builds one plan; a step of plan_epoch() is a method.
class EpochPlanner {
 public:
  explicit EpochPlanner(const PlanRequest& request) : request_(request) {
    plan_.seed_ = request.seed;
    plan_.epoch_ = request.epoch;
  }

  BatchPlan build() {
    sort_by_bucket();
    cut_batches();
    put_pairs_first();
    reorder(std::span(plan_.batches_),
            Random{key(Purpose::batch_order), request_.seed, key(request_.epoch)});
    take_part_of_rank();
    return std::move(plan_);
  }

 private:
  using Planned = BatchPlan::Planned;

  std::size_t bucket_count() const { return request_.edges.size(); }

  template <typename T>
  void reorder(std::span<T> values, Random random) const {
    if (request_.batching.order == ItemOrder::shuffled) {
      shuffle(values, random);
    }
  }

  // The smallest bucket at or above `bucket` that holds the text too; bucket_count() if none.
  std::size_t first_fit(std::size_t bucket, std::uint32_t tokens) const {
    while (bucket < bucket_count() &&
           static_cast<std::uint32_t>(request_.edges[bucket].tokens) < tokens) {
      ++bucket;
    }
    return bucket;
  }

  // bucket_ends_[b] becomes the number of items in buckets 0..b; items_ the items in that order.
  void sort_by_bucket() {
    const std::size_t none = bucket_count();
    std::vector<std::uint16_t> bucket_by_frames;  // a table, because a search per item is slow
    for (std::size_t bucket = 0; bucket < none; ++bucket) {
      bucket_by_frames.resize(static_cast<std::size_t>(request_.edges[bucket].frames) + 1,
                              static_cast<std::uint16_t>(bucket));
    }
    const auto bucket_of = [&](const ItemLength& length) {
      const bool usable =
          is_usable(length, request_.batching) && length.frames < bucket_by_frames.size();
      return usable ? first_fit(bucket_by_frames[length.frames], length.tokens) : none;
    };

    std::vector<std::uint32_t> next(none + 1);
    const std::vector<std::uint32_t> times = times_of_items(
        [&](std::uint32_t item) { return bucket_of(request_.lengths[item]) < none; });
    const auto times_of = [&](std::uint32_t item) { return times.empty() ? 1 : times[item]; };
    for (std::uint32_t item = 0; item < request_.lengths.size(); ++item) {
      next[bucket_of(request_.lengths[item])] += times_of(item);
    }
    std::uint32_t begin = 0;
    for (std::size_t bucket = 0; bucket < none; ++bucket) {
      begin += std::exchange(next[bucket], begin);
      plan_.bucket_ends_.push_back(begin);
    }
    plan_.items_.resize(begin);
    for (std::uint32_t item = 0; item < request_.lengths.size(); ++item) {
      const std::size_t bucket = bucket_of(request_.lengths[item]);
      for (std::uint32_t left = times_of(item); bucket < none && left > 0; --left) {
        plan_.items_[next[bucket]++] = item;
      }
    }
  }

  // Empty where each comes once.
  std::vector<std::uint32_t> times_of_items(auto is_usable) const {
    const bool drops = request_.last == LastBatch::dropped && has_equal_rows();
    if (request_.weights.empty() && !drops) {
      return {};
    }
    std::vector<std::uint8_t> usable(request_.lengths.size());
    for (std::uint32_t item = 0; item < usable.size(); ++item) {
      usable[item] = is_usable(item) ? 1 : 0;
    }
    std::vector<std::uint32_t> times(usable.begin(), usable.end());
    if (!request_.weights.empty()) {
      times = times_in_epoch({.weights = request_.weights,
                              .speakers = request_.speakers,
                              .usable = usable,
                              .seed = request_.seed,
                              .epoch = request_.epoch});
    }
    if (drops) {
      drop_rest(times);
    }
    return times;
  }

  bool has_equal_rows() const {
    return std::ranges::all_of(request_.edges, [this](const BucketEdge& edge) {
      return edge.rows == request_.edges.front().rows;
    });
  }

  // Takes out, by chance, what would not fill a batch: the rows that are left behind the last
  // bucket would always be the longest.
  void drop_rest(std::vector<std::uint32_t>& times) const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t item = 0; item < times.size(); ++item) {
      rows.insert(rows.end(), times[item], item);
    }
    const auto full = static_cast<std::size_t>(request_.edges.front().rows);
    if (rows.size() < full) {
      return;
    }
    Random random{key(Purpose::dropped), request_.seed, key(request_.epoch)};
    for (std::size_t rest = rows.size() % full; rest > 0; --rest) {
      const std::uint32_t at = random.below(static_cast<std::uint32_t>(rows.size()));
      --times[std::exchange(rows[at], rows.back())];
      rows.pop_back();
    }
  }

  // The leftover rows of a bucket are at the end of its items, directly before the next bucket's:
  // not cutting them carries them up. bucket_ends_ moves to where the cut batches end.
  void cut_batches() {
    std::uint32_t begin = 0;
    for (std::size_t bucket = 0; bucket < bucket_count(); ++bucket) {
      const std::uint32_t end = plan_.bucket_ends_[bucket];
      reorder(std::span(plan_.items_).subspan(begin, end - begin),
              Random{key(Purpose::bucket_order), request_.seed, key(request_.epoch), bucket});
      const auto rows = static_cast<std::uint32_t>(request_.edges[bucket].rows);
      if (has_pairs()) {
        pair_speakers(std::span(plan_.items_).subspan(begin, end - begin), request_.speakers, rows);
      }
      for (; end - begin >= rows; begin += rows) {
        add_batch(begin, rows, bucket);
      }
      plan_.bucket_ends_[bucket] = begin;
    }
    const bool is_wanted = request_.last == LastBatch::kept || plan_.batches_.empty();
    if (begin < plan_.items_.size() && is_wanted) {
      add_short_batch(begin);
    }
  }

  bool has_pairs() const {
    return !request_.speakers.empty() && request_.batching.order == ItemOrder::shuffled;
  }

  void put_pairs_first() {
    if (!has_pairs()) {
      return;
    }
    PairsFirst pairs(request_.speakers);
    for (const Planned& batch : plan_.batches_) {
      pairs.arrange(std::span(plan_.items_).subspan(batch.first, batch.rows));
    }
  }

  // Makes a batch from the items from `begin` on.
  void add_short_batch(std::uint32_t begin) {
    const auto all = static_cast<std::uint32_t>(plan_.items_.size());
    const std::size_t bucket = first_holding(longest_of(begin, all - begin));
    if (!plan_.batches_.empty() && 2 * (all - begin) < plan_.batches_.back().rows) {
      // What is before fits too: it is of the same or a smaller bucket.
      const Planned last = plan_.batches_.back();
      const std::uint32_t rows = std::min((last.rows + all - begin) / 2,
                                          static_cast<std::uint32_t>(request_.edges[bucket].rows));
      plan_.batches_.pop_back();
      std::replace(plan_.bucket_ends_.begin(), plan_.bucket_ends_.end(), begin, all - rows);
      begin = all - rows;
      add_batch(last.first, begin - last.first, last.bucket);
    }
    add_batch(begin, all - begin, bucket);
  }

  ItemLength longest_of(std::uint32_t first, std::uint32_t rows) const {
    ItemLength longest;
    for (const std::uint32_t item : std::span(plan_.items_).subspan(first, rows)) {
      longest.frames = std::max(longest.frames, request_.lengths[item].frames);
      longest.tokens = std::max(longest.tokens, request_.lengths[item].tokens);
    }
    return longest;
  }

  std::size_t first_holding(ItemLength length) const {
    std::size_t bucket = 0;
    while (static_cast<std::uint32_t>(request_.edges[bucket].frames) < length.frames) {
      ++bucket;
    }
    return first_fit(bucket, length.tokens);
  }

  void add_batch(std::uint32_t first, std::uint32_t rows, std::size_t bucket) {
    const BucketEdge& edge = request_.edges[bucket];
    ItemLength shape{.frames = static_cast<std::uint32_t>(edge.frames),
                     .tokens = static_cast<std::uint32_t>(edge.tokens)};
    if (request_.batching.shapes == ShapePolicy::per_batch) {
      shape = longest_of(first, rows);
    }
    plan_.batches_.push_back({.first = first,
                              .rows = rows,
                              .frames = shape.frames,
                              .tokens = shape.tokens,
                              .bucket = static_cast<std::uint32_t>(bucket),
                              .full_rows = static_cast<std::uint32_t>(edge.rows)});
  }

  void take_part_of_rank() {
    const auto rank = static_cast<std::uint64_t>(request_.rank);
    const auto world = static_cast<std::uint64_t>(request_.world);
    if (world == 1) {
      return;
    }
    for (Planned& batch : plan_.batches_) {
      const std::uint64_t rows = batch.rows;
      const RowParts parts{.rows = rows, .full = batch.full_rows, .parts = world};
      // With fewer rows than ranks every part is one row, and rows repeat.
      const std::uint64_t first = rows < world ? rank % rows : parts.begin(rank);
      const std::uint64_t last = rows < world ? first + 1 : parts.begin(rank + 1);
      batch.full_rows = (batch.full_rows - 1) / static_cast<std::uint32_t>(world) + 1;
      batch.rows_before = static_cast<std::uint32_t>(first);
      batch.first += batch.rows_before;
      batch.rows = static_cast<std::uint32_t>(last - first);
      if (request_.batching.shapes == ShapePolicy::per_batch) {
        const ItemLength longest = longest_of(batch.first, batch.rows);
        batch.frames = longest.frames;
        batch.tokens = longest.tokens;
      }
    }
  }

  const PlanRequest& request_;
  BatchPlan plan_;
};

std::uint64_t RowParts::begin(std::uint64_t part) const {
  const std::uint64_t pairs = (rows + 1) / 2;
  // Pairs stay together where they can, because they are references of each other.
  const bool by_pairs = full % (2 * parts) == 0 && pairs >= parts;
  return by_pairs ? std::min(part * pairs / parts * 2, rows) : part * rows / parts;
}

const BatchPlan::Planned& BatchPlan::planned(std::int64_t index) const {
  QANAT_CHECK(index >= 0 && index < size()) << index << " of " << size();
  return batches_[static_cast<std::size_t>(index)];
}

BatchSpec BatchPlan::batch(std::int64_t index) const {
  const Planned& batch = planned(index);
  return {.items = std::span(items_).subspan(batch.first, batch.rows),
          .shape = {.rows = static_cast<int>(batch.rows),
                    .frames = static_cast<int>(batch.frames),
                    .tokens = static_cast<int>(batch.tokens)},
          .bucket = static_cast<int>(batch.bucket),
          .first_row = static_cast<int>(batch.rows_before),
          .full_rows = static_cast<int>(batch.full_rows)};
}

BucketEdges edges_of_a_rank(BucketEdges edges, int world) {
  for (BucketEdge& edge : edges) {
    edge.rows = (edge.rows - 1) / world + 1;
  }
  return edges;
}

Substitutes::Substitutes(const BatchPlan& plan,
                         std::span<const ItemLength> lengths,
                         std::int64_t index,
                         int row)
    : plan_(plan),
      lengths_(lengths),
      shape_(plan.batch(index).shape),
      failed_(plan.batch(index).items[static_cast<std::size_t>(row)]) {
  const std::uint64_t row_of_all = plan.planned(index).rows_before + key(row);
  Random random{key(Purpose::substitute), plan.seed_, key(plan.epoch_), key(index), row_of_all};
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    if (begin < end) {
      walks_.push_back({.begin = begin, .size = end - begin, .start = random.below(end - begin)});
    }
  };
  const std::vector<std::uint32_t>& ends = plan.bucket_ends_;
  const auto own = static_cast<std::size_t>(plan.batch(index).bucket);
  for (std::size_t bucket = own + 1; bucket-- > 0;) {
    add(bucket == 0 ? 0 : ends[bucket - 1], ends[bucket]);
  }
  for (std::size_t bucket = own + 1; bucket < ends.size(); ++bucket) {
    add(ends[bucket - 1], ends[bucket]);
  }
  add(ends.back(), static_cast<std::uint32_t>(plan.items_.size()));  // the short last batch
}

std::optional<std::uint32_t> Substitutes::step(Walk& walk) const {
  while (walk.steps < walk.size) {
    const std::uint32_t at = (walk.start + walk.steps++) % walk.size;
    const std::uint32_t item = plan_.items_[walk.begin + at];
    const bool fits = lengths_[item].frames <= static_cast<std::uint32_t>(shape_.frames) &&
                      lengths_[item].tokens <= static_cast<std::uint32_t>(shape_.tokens);
    if (fits && item != failed_) {
      return item;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> Substitutes::next() {
  while (!walks_.empty()) {
    const std::optional<std::uint32_t> item = step(walks_[walk_]);
    if (!item) {
      walks_.erase(walks_.begin() + static_cast<std::ptrdiff_t>(walk_));
      walk_ = walk_ < walks_.size() ? walk_ : 0;
      in_turn_ = 0;
      continue;
    }
    if (++in_turn_ == kSubstitutesInTurn) {
      walk_ = (walk_ + 1) % walks_.size();
      in_turn_ = 0;
    }
    return item;
  }
  return std::nullopt;
}

BatchPlan plan_epoch(const PlanRequest& request) {
  if (request.world < 1 || request.rank < 0 || request.rank >= request.world) {
    throw Error("rank: {} of {}; expected 0 <= rank < world", request.rank, request.world);
  }
  if (request.lengths.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("data set: {} utterances; expected at most 2^32 - 1", request.lengths.size());
  }
  QANAT_CHECK(request.speakers.empty() || request.speakers.size() == request.lengths.size())
      << request.speakers.size() << " speakers of " << request.lengths.size() << " utterances";
  QANAT_CHECK(request.weights.empty() || request.weights.size() == request.lengths.size())
      << request.weights.size() << " weights of " << request.lengths.size() << " utterances";
  return EpochPlanner(request).build();
}

double planned_padding(std::span<const ItemLength> lengths,
                       BatchingConfig batching,
                       int max_edges) {
  constexpr std::size_t kMaxPlanned = 20'000;
  const std::size_t stride = lengths.size() / kMaxPlanned + 1;
  std::vector<ItemLength> some;
  for (std::size_t i = 0; i < lengths.size(); i += stride) {
    some.push_back(lengths[i]);
  }
  batching.max_edges = max_edges;
  const BucketEdges edges = choose_edges(some, batching);
  if (edges.empty()) {
    return 0;
  }
  const BatchPlan plan = plan_epoch({.lengths = some, .edges = edges, .batching = batching});
  double frames = 0;
  double padded = 0;
  for (std::int64_t i = 0; i < plan.size(); ++i) {
    const BatchSpec batch = plan.batch(i);
    padded += static_cast<double>(batch.shape.rows) * batch.shape.frames;
    for (const std::uint32_t item : batch.items) {
      frames += some[item].frames;
    }
  }
  return padded > 0 ? 1 - frames / padded : 0;
}

PlanSequence::PlanSequence(SharedPlan first,
                           std::int64_t index,
                           std::optional<std::int64_t> end_epoch)
    : plan_(std::move(first)), index_(index), end_epoch_(end_epoch) {}

bool PlanSequence::is_last_epoch() const {
  return end_epoch_ && plan_->epoch() + 1 >= *end_epoch_;
}

bool PlanSequence::at_end() const {
  return is_exhausted() && is_last_epoch();
}

bool PlanSequence::is_ready() const {
  return !is_exhausted() || next_ != nullptr;
}

PlannedBatch PlanSequence::take() {
  if (is_exhausted()) {
    QANAT_CHECK(next_ != nullptr);
    plan_ = std::exchange(next_, nullptr);
    index_ = 0;
  }
  return {.plan = plan_, .index = index_++};
}

std::optional<std::int64_t> PlanSequence::wanted() {
  if (being_made_ || next_ != nullptr || is_last_epoch()) {
    return std::nullopt;
  }
  being_made_ = true;
  return plan_->epoch() + 1;
}

void PlanSequence::provide(SharedPlan plan) {
  being_made_ = false;
  next_ = std::move(plan);
}

}  // namespace qanat
