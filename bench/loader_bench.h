// What qanat_loader_bench can measure, one function per subcommand. Each prints JSON lines on
// stdout (bench/README.md has their fields) and throws Error when it cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace qanat {

struct LoaderBenchOptions {
  std::filesystem::path corpus;
  std::filesystem::path shards;
  std::string source = "audio";  // audio, cache
  int workers = 2;
  int batch = 16;
  int epochs = 3;
  int rounds = 3;
  double pace = 22;                    // batches per second
  double seconds = 15;                 // of the paced run
  std::size_t utterances = 1'000'000;  // of a plan
  std::filesystem::path dump;
  std::uint32_t dump_limit = 64;
};

// Whole epochs, as fast as they come.
void bench_epochs(const LoaderBenchOptions& options);
// Epochs from precomputed shards with one worker, in turn with a memcpy of the same bytes into
// blocks of the same size.
void bench_shards(const LoaderBenchOptions& options);
// A consumer with a trainer's pace.
void bench_paced(const LoaderBenchOptions& options);
// Planning an epoch of LJSpeech-like lengths, without audio.
void bench_plan(const LoaderBenchOptions& options);

}  // namespace qanat
