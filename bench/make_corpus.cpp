// Writes the corpus the loader benchmarks read: LJSpeech layout and lengths, 22050 Hz 16-bit mono,
// a buzz through moving formants with pauses. It only has to cost what speech costs to load.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "bench_main.h"
#include "corpus_lengths.h"

namespace qanat {
namespace {

constexpr double kRate = 22050;

struct Resonator {
  double b = 0;
  double c = 0;
  double gain = 0;
  double y1 = 0;
  double y2 = 0;

  void tune(double frequency, double bandwidth) {
    const double radius = std::exp(-std::numbers::pi * bandwidth / kRate);
    b = 2 * radius * std::cos(2 * std::numbers::pi * frequency / kRate);
    c = -radius * radius;
    gain = 1 - b - c;
  }
  double filter(double x) {
    const double y = gain * x + b * y1 + c * y2;
    y2 = y1;
    y1 = y;
    return y;
  }
};

// One utterance: syllables of about 0.2 s, each with its own vowel, every seventh one silent.
std::vector<std::int16_t> synthesise(std::int64_t samples, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1.0p-53;
  };
  std::array<Resonator, 3> formants;
  std::vector<std::int16_t> pcm(static_cast<std::size_t>(samples));
  const double pitch = draw(90, 220);
  double phase = 0;
  std::size_t syllable_end = 0;
  std::size_t syllable_length = 1;
  bool silent = false;
  for (std::size_t i = 0; i < pcm.size(); ++i) {
    if (i == syllable_end) {
      syllable_length = static_cast<std::size_t>(draw(0.14, 0.28) * kRate);
      syllable_end = i + syllable_length;
      silent = draw(0, 7) < 1;
      formants[0].tune(draw(300, 800), 80);
      formants[1].tune(draw(900, 2200), 110);
      formants[2].tune(draw(2300, 3300), 170);
    }
    const double place =
        1 - static_cast<double>(syllable_end - i) / static_cast<double>(syllable_length);
    const double envelope = silent ? 0 : std::sin(std::numbers::pi * place);
    phase += pitch * (1.1 - 0.2 * place) / kRate;
    const double pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    double value = envelope * (pulse * 30 + draw(-0.3, 0.3));
    for (Resonator& formant : formants) {
      value = 0.6 * value + formant.filter(value);
    }
    value = value * 0.2 + draw(-0.0005, 0.0005);
    pcm[i] = static_cast<std::int16_t>(std::lround(std::clamp(value, -0.95, 0.95) * 32767));
  }
  return pcm;
}

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void write_wav_file(const std::filesystem::path& path, const std::vector<std::int16_t>& pcm) {
  const auto size = static_cast<std::uint32_t>(pcm.size() * sizeof(std::int16_t));
  std::string header = "RIFF";
  append(header, 36 + size);
  header += "WAVEfmt ";
  append(header, std::uint32_t{16});
  append(header, std::uint16_t{1});  // PCM
  append(header, std::uint16_t{1});  // mono
  append(header, std::uint32_t{22050});
  append(header, std::uint32_t{22050 * 2});
  append(header, std::uint16_t{2});
  append(header, std::uint16_t{16});
  header += "data";
  append(header, size);
  std::ofstream file(path, std::ios::binary);
  file << header;
  file.write(reinterpret_cast<const char*>(pcm.data()), size);
  if (!file.flush()) {
    throw Error("cannot write {}; is the disk full?", path.string());
  }
}

// About 15 characters per second, as read speech has.
std::string sentence(std::int64_t samples, std::uint64_t seed) {
  constexpr std::array kWords = {"the",  "water", "of",     "a",       "long", "channel", "runs",
                                 "from", "hills", "under",  "ground",  "to",   "gardens", "and",
                                 "it",   "never", "stops",  "because", "no",   "pump",    "is",
                                 "used", "here",  "people", "dug",     "it",   "by",      "hand"};
  std::mt19937_64 random(seed);
  const auto wanted = static_cast<std::size_t>(static_cast<double>(samples) / kRate * 15);
  std::string text;
  while (text.size() < wanted) {
    text += text.empty() ? "" : " ";
    text += kWords[random() % kWords.size()];
  }
  return text + ".";
}

struct CorpusOptions {
  std::filesystem::path out;
  std::size_t count = 800;
  double mean_frames = 447;
  std::uint64_t seed = 1;
};

void make_corpus(const CorpusOptions& options) {
  std::filesystem::create_directories(options.out / "wavs");
  std::ofstream metadata(options.out / "metadata.csv");
  const std::vector<std::int64_t> lengths =
      ljspeech_like_lengths(options.count, options.mean_frames, options.seed);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::uint64_t seed = options.seed * 1'000'003 + i;
    const std::string id = fmt::format("B{:05}", i);
    write_wav_file(options.out / "wavs" / (id + ".wav"), synthesise(lengths[i], seed));
    const std::string text = sentence(lengths[i], seed);
    metadata << id << '|' << text << '|' << text << '\n';
  }
  if (!metadata.flush()) {
    throw Error("cannot write {}; is the disk full?", (options.out / "metadata.csv").string());
  }
}

}  // namespace
}  // namespace qanat

int main(int argc, char** argv) {
  qanat::CorpusOptions options;
  CLI::App app("Writes a corpus for the loader benchmarks.");
  app.add_option("--out", options.out, "folder to write")->required();
  app.add_option("--count", options.count, "utterances")->capture_default_str();
  app.add_option("--mean-frames", options.mean_frames, "mean length in mel frames (256 samples)")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "another seed, another corpus")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return qanat::run_bench("qanat_bench_corpus", [&] {
    qanat::make_corpus(options);
    return 0;
  });
}
