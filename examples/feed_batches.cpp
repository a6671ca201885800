// The loader library in one page: a folder of speech in, padded batches of log-mel out.
//
//   feed_batches DIR [BATCHES]
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "app/loader_options.h"
#include "app/make_loader.h"

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: feed_batches DIR [BATCHES]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const int wanted = argc > 2 ? std::atoi(argv[2]) : 5;

  // Lengths of all utterances; remembered, so that the next start only looks at what changed.
  const auto text = std::make_shared<const qanat::TextFrontEnd>();
  std::optional<qanat::UtteranceSet> set = qanat::load_utterance_set(
      folder, {.train_data = folder}, qanat::make_index_sources(*text, qanat::kMel.sample_rate));

  qanat::RunConfig config;
  config.data.batch_size = 8;
  const auto loader = qanat::make_loader(
      config,
      {.set = std::make_shared<const qanat::UtteranceSet>(std::move(set).value()), .text = text});

  for (int i = 0; i < wanted; ++i) {
    const std::optional<qanat::Batch> batch = loader->next();  // a lease: ends with the loop's body
    std::cout << "epoch " << batch->id().epoch << " batch " << batch->id().index << ": "
              << batch->rows() << " rows of " << batch->frames() << " frames and "
              << batch->max_tokens() << " tokens, first value " << batch->mel()[0] << '\n';
  }
  std::cout << "waited " << loader->stats().ready.pop_wait.total.count() << " s\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
