// The loader a libtorch user writes in C++: torch::data with worker threads, libsndfile,
// torch::stft and a matrix product, padded batches in random order. Same mel definition as ours;
// prints one JSON line per epoch (bench/README.md has the fields).
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sndfile.h>
#include <sys/resource.h>
#include <torch/torch.h>

#include "bench_main.h"

namespace {

struct Options {
  std::filesystem::path corpus;
  int epochs = 3;
  std::size_t workers = 2;
  std::size_t batch = 16;
  std::filesystem::path dump;
  std::size_t dump_limit = 64;
};

struct Item {
  std::size_t index = 0;
  torch::Tensor mel;  // [80, frames]
};

struct PaddedBatch {
  torch::Tensor mel;      // [rows, 80, frames]
  torch::Tensor lengths;  // [rows]
  std::vector<std::size_t> items;
};

double hz_to_mel(double hz) {
  return hz < 1000 ? hz * 3 / 200 : 15 + std::log(hz / 1000) / (std::log(6.4) / 27);
}

double mel_to_hz(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * std::exp((mel - 15) * (std::log(6.4) / 27));
}

// Slaney's triangles, area-normalised. [80, 513]
torch::Tensor mel_filters() {
  constexpr int kMels = 80;
  constexpr int kBins = 513;
  std::vector<double> edges(kMels + 2);
  for (int i = 0; i < kMels + 2; ++i) {
    edges[i] = mel_to_hz(hz_to_mel(8000) * i / (kMels + 1));
  }
  torch::Tensor filters = torch::zeros({kMels, kBins});
  auto weights = filters.accessor<float, 2>();
  for (int mel = 0; mel < kMels; ++mel) {
    for (int bin = 0; bin < kBins; ++bin) {
      const double hz = bin * 22050.0 / 1024;
      const double rising = (hz - edges[mel]) / (edges[mel + 1] - edges[mel]);
      const double falling = (edges[mel + 2] - hz) / (edges[mel + 2] - edges[mel + 1]);
      const double height = std::max(0.0, std::min(rising, falling));
      weights[mel][bin] = static_cast<float>(height * 2 / (edges[mel + 2] - edges[mel]));
    }
  }
  return filters;
}

class MelDataset : public torch::data::datasets::Dataset<MelDataset, Item> {
 public:
  explicit MelDataset(std::vector<std::filesystem::path> files) : files_(std::move(files)) {}

  Item get(std::size_t index) override {
    const torch::NoGradGuard no_grad;
    const torch::Tensor padded =
        torch::reflection_pad1d(read(files_[index]).unsqueeze(0), {384, 384});
    const torch::Tensor spectrum = torch::stft(padded,
                                               1024,
                                               256,
                                               1024,
                                               window_,
                                               /*center=*/false,
                                               "reflect",
                                               /*normalized=*/false,
                                               /*onesided=*/true,
                                               /*return_complex=*/true);
    const torch::Tensor magnitude = spectrum.abs().square_().add_(1e-9).sqrt_();
    return {index, torch::matmul(filters_, magnitude[0]).clamp_min_(1e-5).log_()};
  }
  torch::optional<std::size_t> size() const override { return files_.size(); }

 private:
  static torch::Tensor read(const std::filesystem::path& path) {
    SF_INFO info{};
    SNDFILE* file = sf_open(path.c_str(), SFM_READ, &info);
    if (file == nullptr) {
      throw std::runtime_error("cannot read " + path.string());
    }
    torch::Tensor samples = torch::empty({info.frames});
    sf_readf_float(file, samples.data_ptr<float>(), info.frames);
    sf_close(file);
    return samples;
  }

  std::vector<std::filesystem::path> files_;
  torch::Tensor window_ = torch::hann_window(1024);
  torch::Tensor filters_ = mel_filters();
};

class PadCollation : public torch::data::transforms::Collation<PaddedBatch, std::vector<Item>> {
 public:
  PaddedBatch apply_batch(std::vector<Item> items) override {
    const torch::NoGradGuard no_grad;
    PaddedBatch batch;
    std::int64_t longest = 0;
    for (const Item& item : items) {
      longest = std::max(longest, item.mel.size(1));
    }
    const auto rows = static_cast<std::int64_t>(items.size());
    batch.mel = torch::zeros({rows, 80, longest});
    batch.lengths = torch::empty({rows}, torch::kInt64);
    for (std::int64_t row = 0; row < rows; ++row) {
      const Item& item = items[static_cast<std::size_t>(row)];
      batch.mel[row].narrow(1, 0, item.mel.size(1)).copy_(item.mel);
      batch.lengths[row] = item.mel.size(1);
      batch.items.push_back(item.index);
    }
    return batch;
  }
};

std::vector<std::filesystem::path> corpus_files(const std::filesystem::path& corpus) {
  std::ifstream metadata(corpus / "metadata.csv");
  std::vector<std::filesystem::path> files;
  for (std::string line; std::getline(metadata, line);) {
    files.push_back(corpus / "wavs" / (line.substr(0, line.find('|')) + ".wav"));
  }
  if (files.empty()) {
    throw std::runtime_error("no utterances in " + corpus.string());
  }
  return files;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Records "<id> <frames>\n" and frames x 80 floats, frame by frame.
void dump_batch(std::ofstream& out,
                const PaddedBatch& batch,
                const std::vector<std::filesystem::path>& files,
                std::size_t limit) {
  for (std::size_t row = 0; row < batch.items.size(); ++row) {
    if (batch.items[row] >= limit) {
      continue;
    }
    const auto at = static_cast<std::int64_t>(row);
    const auto frames = batch.lengths[at].item<std::int64_t>();
    const torch::Tensor mel = batch.mel[at].narrow(1, 0, frames).t().contiguous();
    out << files[batch.items[row]].stem().string() << ' ' << frames << '\n';
    out.write(reinterpret_cast<const char*>(mel.data_ptr<float>()),
              static_cast<std::streamsize>(mel.numel() * sizeof(float)));
  }
}

void run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const auto start = Clock::now();
  const std::vector<std::filesystem::path> files = corpus_files(options.corpus);
  std::ofstream dump;
  if (!options.dump.empty()) {
    dump.open(options.dump, std::ios::binary);
  }
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      MelDataset(files).map(PadCollation()),
      torch::data::DataLoaderOptions().batch_size(options.batch).workers(options.workers));
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    const auto begin = epoch == 0 ? start : Clock::now();
    const double cpu = cpu_seconds();
    double first = 0;
    std::int64_t utterances = 0;
    std::int64_t frames = 0;
    std::int64_t padded = 0;
    for (const PaddedBatch& batch : *loader) {
      first = utterances == 0 ? Seconds(Clock::now() - begin).count() : first;
      utterances += batch.mel.size(0);
      frames += batch.lengths.sum().item<std::int64_t>();
      padded += batch.mel.size(0) * batch.mel.size(2);
      if (dump.is_open()) {
        dump_batch(dump, batch, files, options.dump_limit);
      }
    }
    const nlohmann::json line = {{"epoch", epoch},
                                 {"utterances", utterances},
                                 {"frames", frames},
                                 {"padded_frames", padded},
                                 {"wall_s", Seconds(Clock::now() - begin).count()},
                                 {"cpu_s", cpu_seconds() - cpu},
                                 {"first_batch_s", first}};
    std::cout << line << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("torch::data on an LJSpeech folder");
  app.add_option("--corpus", options.corpus, "folder with metadata.csv and wavs/")->required();
  app.add_option("--epochs", options.epochs, "epochs to run")->capture_default_str();
  app.add_option("--workers", options.workers, "worker threads")->capture_default_str();
  app.add_option("--batch", options.batch, "utterances per batch")->capture_default_str();
  app.add_option("--dump", options.dump, "write the mel of the first utterances here");
  app.add_option("--dump-limit", options.dump_limit, "how many")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return qanat::run_bench("torch_data_loader", [&] {
    at::set_num_threads(1);
    run(options);
    return 0;
  });
}
