// Writes the first batches of a data set to stdout, for tests that compare them with those that
// come out of the Python package:
//
//   qanat_batch_dump DIR BATCH_SIZE COUNT [mel|audio]
//
// A line "epoch index payload-bytes token-bytes rows" for each, then payload, tokens, and the
// lengths of mel and tokens, speakers and items of its rows.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "app/loader_options.h"
#include "app/make_loader.h"

namespace {

template <typename T>
void write(std::span<const T> values) {
  std::cout.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size_bytes()));
}

void write(const qanat::Batch& batch) {
  std::cout << batch.id().epoch << ' ' << batch.id().index << ' '
            << batch.mel().size_bytes() + batch.pcm().size_bytes() << ' '
            << batch.tokens().size_bytes() << ' ' << batch.rows() << '\n';
  write(batch.mel());
  write(batch.pcm());
  write(batch.tokens());
  write(batch.mel_lengths());
  write(batch.token_lengths());
  write(batch.speakers());
  write(batch.items());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::cerr << "usage: qanat_batch_dump DIR BATCH_SIZE COUNT [mel|audio]\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const bool is_audio = argc > 4 && std::string_view(argv[4]) == "audio";
  const auto text = std::make_shared<qanat::TextFrontEnd>();
  std::optional<qanat::UtteranceSet> read = qanat::load_utterance_set(
      folder, {.train_data = folder}, qanat::make_index_sources(*text, qanat::kMel.sample_rate));
  const auto set = std::make_shared<const qanat::UtteranceSet>(std::move(read).value());

  qanat::RunConfig config;
  config.data.batch_size = std::atoi(argv[2]);
  config.training.epochs = 1'000'000;
  const auto loader = qanat::make_loader(
      config,
      {.set = set,
       .text = text,
       .speakers = qanat::speaker_names(set->manifest),
       .payload = is_audio ? qanat::PayloadKind::pcm_s16 : qanat::PayloadKind::mel_f32});
  for (int left = std::atoi(argv[3]); left > 0; --left) {
    write(*loader->next());
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
