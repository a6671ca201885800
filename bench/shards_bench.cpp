#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/time.h"
#include "bench_set.h"
#include "loader_bench.h"

namespace qanat {
namespace {

constexpr int kTimedEpochs = 8;

struct ShardEpochs {
  Seconds time{0};
  std::size_t blocks = 0;       // batches are written into that many blocks in turn,
  std::size_t block_bytes = 0;  // each so large
};

// The first epoch is a warm-up: it brings the shards into the page cache.
ShardEpochs load_from_shards(const BenchSet& set, const LoaderBenchOptions& options) {
  RunConfig config = make_bench_config(options.workers, options.batch);
  config.data.preprocessing_mode = PreprocessingMode::precompute;
  config.data.feature_dir = options.shards;
  const std::unique_ptr<Loader> loader = make_bench_loader(set, config);
  ShardEpochs seen;
  Clock::time_point begin;
  for (std::int64_t k = 0; k < (1 + kTimedEpochs) * loader->batches_per_epoch(); ++k) {
    if (k == loader->batches_per_epoch()) {
      begin = Clock::now();
    }
    const Batch batch = take_batch(*loader);
    seen.block_bytes = std::max(seen.block_bytes, batch.bytes().size());
  }
  seen.time = seconds_since(begin);
  const PipelineStats stats = loader->stats();
  if (stats.from_audio > 0 || stats.from_store == 0) {
    throw Error("{} rows were made from audio; expected all from shards", stats.from_audio);
  }
  seen.blocks = static_cast<std::size_t>(stats.window.allocated.value) / seen.block_bytes;
  return seen;
}

// Bytes of every utterance's log-mel.
std::vector<std::size_t> mel_bytes(const BenchSet& set) {
  std::vector<std::size_t> bytes;
  for (const IndexEntry& entry : set.set->index.entries) {
    bytes.push_back(static_cast<std::size_t>(entry.samples.value / 256) * 80 * sizeof(float));
  }
  return bytes;
}

class MemcpyBaseline {
 public:
  MemcpyBaseline(std::vector<std::size_t> sizes, const ShardEpochs& shards)
      : sizes_(std::move(sizes)), block_bytes_(shards.block_bytes) {
    std::size_t total = 0;
    for (const std::size_t size : sizes_) {
      total += size;
    }
    source_.assign(total, std::byte{1});
    blocks_.assign(std::max<std::size_t>(shards.blocks, 1),
                   std::vector<std::byte>(block_bytes_, std::byte{2}));
  }

  std::size_t bytes() const { return source_.size(); }

  // As many epochs as were loaded, utterance by utterance, one block after the other.
  Seconds run() {
    const Clock::time_point begin = Clock::now();
    for (int epoch = 0; epoch < kTimedEpochs; ++epoch) {
      copy_epoch();
    }
    return seconds_since(begin);
  }

 private:
  void copy_epoch() {
    std::size_t from = 0;
    std::size_t block = 0;
    std::size_t to = 0;
    for (const std::size_t size : sizes_) {
      if (to + size > block_bytes_) {
        block = (block + 1) % blocks_.size();
        to = 0;
      }
      std::memcpy(blocks_[block].data() + to, source_.data() + from, size);
      from += size;
      to += size;
    }
  }

  const std::vector<std::size_t> sizes_;
  const std::size_t block_bytes_;
  std::vector<std::byte> source_;
  std::vector<std::vector<std::byte>> blocks_;
};

}  // namespace

void bench_shards(const LoaderBenchOptions& options) {
  const BenchSet set = read_bench_set(options.corpus);
  make_shards(set, options.shards);
  for (int round = 0; round < options.rounds; ++round) {
    const ShardEpochs shards = load_from_shards(set, options);
    MemcpyBaseline baseline(mel_bytes(set), shards);
    const nlohmann::json line = {{"bytes", baseline.bytes() * kTimedEpochs},
                                 {"shards_s", shards.time.count()},
                                 {"memcpy_s", baseline.run().count()},
                                 {"workers", options.workers}};
    std::cout << line << std::endl;
  }
}

}  // namespace qanat
