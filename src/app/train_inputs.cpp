#include "app/train_inputs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/dataset_sources.h"
#include "app/make_loader.h"
#include "dataset/problem.h"
#include "dataset/split.h"

namespace qanat {
namespace {

UtteranceSet first_utterances(const UtteranceSet& set, int count) {
  const auto size = std::min(set.manifest.utterances.size(), static_cast<std::size_t>(count));
  std::vector<std::uint32_t> items(size);
  std::iota(items.begin(), items.end(), 0U);
  UtteranceSet first{.manifest = select(set.manifest, items), .index = select(set.index, items)};
  return first;
}

// Rows that are not used; a problem may also be a mere note.
std::ptrdiff_t count_left_out(const UtteranceSet& set) {
  return std::ranges::count_if(set.manifest.problems, [](const DatasetProblem& problem) {
    return severity_of(problem.kind) == Severity::error;
  });
}

std::string describe_left_out(std::ptrdiff_t rows, const RunConfig& config) {
  return fmt::format("{} row{} of the manifest {} not used; `qanat data check {}` says why",
                     rows,
                     rows == 1 ? "" : "s",
                     rows == 1 ? "is" : "are",
                     *config.data.train_data);
}

// The whole folder trains when nothing of it would be left to validate.
bool is_too_small_to_split(const UtteranceSet& set, const TrainingSetOptions& options) {
  std::vector<std::uint32_t> items(set.manifest.utterances.size());
  std::iota(items.begin(), items.end(), 0U);
  return split_dataset(set.manifest, items, options.split).validation.empty();
}

struct Sets {
  std::shared_ptr<const UtteranceSet> train;
  std::shared_ptr<const UtteranceSet> validation;
};

std::optional<Sets> load_sets(const RunConfig& config,
                              const TrainingSetOptions& options,
                              const IndexSources& sources) {
  if (!options.val_data || config.training.overfit_one_batch) {
    std::optional<UtteranceSet> whole = load_utterance_set(options.train_data, options, sources);
    if (!whole) {
      return std::nullopt;
    }
    if (config.training.overfit_one_batch) {
      return Sets{.train = std::make_shared<const UtteranceSet>(
                      first_utterances(*whole, config.data.batch_size)),
                  .validation = nullptr};
    }
    if (is_too_small_to_split(*whole, options)) {
      return Sets{.train = std::make_shared<const UtteranceSet>(*std::move(whole)),
                  .validation = nullptr};
    }
  }
  std::optional<TrainingSets> both = load_training_sets(options, sources);
  if (!both) {
    return std::nullopt;
  }
  return Sets{.train = std::make_shared<const UtteranceSet>(std::move(both->train)),
              .validation = std::make_shared<const UtteranceSet>(std::move(both->validation))};
}

}  // namespace

std::optional<TrainInputs> load_train_inputs(const RunConfig& config,
                                             const ProgressFn& progress,
                                             const std::stop_token& stop) {
  TrainingSetOptions options = make_training_set_options(config, read_host_facts());
  options.index.progress = progress;
  options.index.stop = stop;
  TrainInputs inputs;
  inputs.text = std::make_shared<const TextFrontEnd>(make_text_config(config.data));
  std::optional<Sets> sets =
      load_sets(config, options, make_index_sources(*inputs.text, kMel.sample_rate));
  if (!sets) {
    return std::nullopt;
  }
  inputs.train = std::move(sets->train);
  inputs.validation = std::move(sets->validation);
  if (config.model.speaker_table) {
    inputs.speakers = speaker_names(inputs.train->manifest);
  }
  if (const std::ptrdiff_t rows = count_left_out(*inputs.train); rows > 0) {
    inputs.notes.push_back(describe_left_out(rows, config));
  }
  if (!inputs.validation && !config.training.overfit_one_batch) {
    inputs.notes.push_back(fmt::format(
        "{} utterances are too few to keep some for validation; the run goes without; try "
        "--val-data",
        inputs.train->manifest.utterances.size()));
  }
  return inputs;
}

std::vector<Batch> load_validation_batches(const RunConfig& config, const TrainInputs& inputs) {
  std::vector<Batch> batches;
  const auto wanted = static_cast<std::size_t>(config.training.validation_batches);
  if (!inputs.validation || wanted == 0) {
    return batches;
  }
  LoaderOptions options = make_loader_options(config, read_host_facts(), 0);
  options.seed = 0;
  options.epochs = 1;
  options.workers = 1;
  options.window = 2;
  options.budget = mebibytes(1 << 20);  // they are all kept: their number is the bound
  const std::unique_ptr<Loader> loader =
      make_loader(config,
                  options,
                  {.set = inputs.validation, .text = inputs.text, .speakers = inputs.speakers});
  while (batches.size() < wanted) {
    std::optional<Batch> batch = loader->next();
    if (!batch) {
      break;
    }
    batches.push_back(*std::move(batch));
  }
  return batches;
}

}  // namespace qanat
