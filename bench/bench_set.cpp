#include "bench_set.h"

#include <optional>
#include <utility>

#include "app/loader_options.h"
#include "base/error.h"
#include "features/feature_fingerprint.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "pipeline/precompute.h"

namespace qanat {

BenchSet read_bench_set(const std::filesystem::path& corpus) {
  const auto text = std::make_shared<const TextFrontEnd>();
  // Lengths are remembered in the corpus itself: nothing of a benchmark goes into the user's cache.
  std::optional<UtteranceSet> set =
      load_utterance_set(corpus,
                         {.train_data = corpus, .index = {.cache_folders = {corpus / "index"}}},
                         make_index_sources(*text, kMel.sample_rate));
  if (!set) {
    throw Error("{}: reading it was stopped", corpus.string());
  }
  return {.text = text, .set = std::make_shared<const UtteranceSet>(std::move(*set))};
}

RunConfig make_bench_config(int workers, int batch) {
  RunConfig config;
  config.data.batch_size = batch;
  config.data.num_workers = workers;
  config.data.preprocessing_mode = PreprocessingMode::runtime;
  config.pipeline.feature_cache = Megabytes{0};
  config.training.epochs = 1'000'000;
  return config;
}

std::unique_ptr<Loader> make_bench_loader(const BenchSet& set, const RunConfig& config) {
  return make_loader(config, LoaderRequest{.set = set.set, .text = set.text});
}

void make_shards(const BenchSet& set, const std::filesystem::path& folder) {
  const std::unique_ptr<RowSource> audio =
      make_audio_source(LoaderRequest{.set = set.set, .text = set.text});
  const PrecomputeReport made =
      precompute({.manifest = set.set->manifest,
                  .index = set.set->index,
                  .source = *audio,
                  .mel = kMel,
                  .fingerprint = feature_fingerprint(kMel, set.text->hash())},
                 {.folder = folder, .workers = 2});
  if (!made.failures.empty()) {
    throw MessageError(
        msg::set_refused{.file = folder.string(), .why = made.failures.front().reason});
  }
}

Batch take_batch(Loader& loader) {
  std::optional<Batch> batch = loader.next();
  if (!batch) {
    throw Error("the loader ended; expected a stream without end");
  }
  return std::move(*batch);
}

}  // namespace qanat
