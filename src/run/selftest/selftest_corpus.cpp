#include "selftest/selftest_corpus.h"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "app/loader_options.h"
#include "audio/wav_writer.h"
#include "base/files.h"
#include "locale/message_error.h"
#include "monitor/host_facts.h"

namespace qanat {
namespace {

constexpr int kRate = 22050;

std::vector<float> tone(int number) {
  // Lengths in an order that is not their own: 37 and the number of clips share no divisor.
  const int rank = number * 37 % SelftestCorpus::kClips;
  const double seconds = 0.4 + 2.0 * rank / SelftestCorpus::kClips;
  std::vector<float> samples(static_cast<std::size_t>(seconds * kRate));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] =
        0.3F * std::sin(static_cast<float>(i) * 0.01F * static_cast<float>(number % 9 + 3));
  }
  return samples;
}

void write_clips(const std::filesystem::path& folder) {
  make_folders(folder / "wavs", "TMPDIR");
  std::ofstream manifest(folder / "metadata.csv");
  for (int i = 0; i < SelftestCorpus::kClips; ++i) {
    const std::string name = fmt::format("clip{:02}", i);
    write_wav(folder / "wavs" / (name + ".wav"), tone(i), SampleRate{kRate});
    manifest << name << "|this is clip number " << i << '\n';
  }
  if (!manifest.flush()) {
    throw MessageError(to_message(
        {.path = folder.string(), .action = FileAction::write, .error = errno, .flag = "TMPDIR"}));
  }
}

}  // namespace

SelftestCorpus::SelftestCorpus(const std::filesystem::path& folder)
    : folder_(folder / "clips"), text_(std::make_shared<TextFrontEnd>()) {
  write_clips(folder_);
  RunConfig config;
  config.data.train_data = folder_.string();
  config.data.cache_dir = (folder / "cache").string();
  clips_ = std::make_shared<const UtteranceSet>(
      *load_utterance_set(folder_,
                          make_training_set_options(config, read_host_facts()),
                          make_index_sources(*text_, kMel.sample_rate)));
}

std::vector<std::string> SelftestCorpus::sets() const {
  return {"data.batch_size=8",
          "data.num_workers=2",
          "data.pipeline_buffer_size=12",
          "data.model_start_delay=1",
          "data.preprocessing_mode=runtime",
          "pipeline.feature_cache=0",  // every row is made again, in every epoch
          "pipeline.memory_budget=256",
          "training.epochs=100000",
          "training.save_every=1000000",
          "training.validate_every=1000000",
          "training.render_every=0"};
}

LoaderRequest SelftestCorpus::loader() const {
  return {.set = clips_, .text = text_};
}

}  // namespace qanat
