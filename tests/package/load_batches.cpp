// Loads one epoch of a data set and counts what came: the library as its users see it.
#include <cstdio>
#include <exception>
#include <memory>

#include "app/loader_options.h"
#include "app/make_loader.h"
#include "dataset/training_sets.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: load_batches DATA_SET\n");
    return 2;
  }
  try {
    qanat::RunConfig config;
    config.data.batch_size = 4;
    const auto text = std::make_shared<const qanat::TextFrontEnd>(qanat::TextConfig{});
    const qanat::TrainingSetOptions options{.train_data = argv[1]};
    auto set = qanat::load_utterance_set(
        argv[1], options, qanat::make_index_sources(*text, qanat::SampleRate{22050}));
    qanat::LoaderOptions loading = qanat::make_loader_options(config, qanat::read_host_facts(), 1);
    loading.epochs = 1;
    const auto loader = qanat::make_loader(
        config,
        loading,
        {.set = std::make_shared<const qanat::UtteranceSet>(std::move(set).value()), .text = text});
    int rows = 0;
    while (const auto batch = loader->next()) {
      rows += batch->rows();
    }
    std::printf("%d utterances\n", rows);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "load_batches: %s\n", error.what());
    return 1;
  }
}
