// A corpus as the loader benchmarks load it: everything in the folder, through the same wiring as a
// training run's.
#pragma once

#include <filesystem>
#include <memory>

#include "app/make_loader.h"

namespace qanat {

struct BenchSet {
  std::shared_ptr<const TextFrontEnd> text;  // shared with the loaders made from the set
  std::shared_ptr<const UtteranceSet> set;   // as well
};

BenchSet read_bench_set(const std::filesystem::path& corpus);

// The defaults, with so many workers, from audio alone: neither shards nor memory.
RunConfig make_bench_config(int workers, int batch);

// The stream outlasts every benchmark. Stop taking batches when enough were measured: one that
// ends lets its last epoch look faster, because nobody works ahead any more.
std::unique_ptr<Loader> make_bench_loader(const BenchSet& set, const RunConfig& config);

// Makes what is missing or stale in `folder`.
void make_shards(const BenchSet& set, const std::filesystem::path& folder);

// The next batch; throws Error at the end of the stream.
Batch take_batch(Loader& loader);

}  // namespace qanat
