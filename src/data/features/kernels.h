// The arithmetic of MelExtractor and GriffinLim, once per instruction set. As many frames as a
// register has lanes go through every step together, lane by lane the same operations: what a frame
// comes out as does not depend on its neighbours or its place.
//
// Plain pointers on purpose: the files behind this are compiled for instructions the machine may
// not have, so they must not contain a copy of any shared inline function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "features/fft_plan.h"

namespace qanat {

// A bin of the spectrum: where the transform leaves it (floats from the begin of the work area)
// and its weights (mel_filterbank.h).
struct MelBin {
  std::int32_t re = 0;
  std::int32_t im = 0;
  float rising = 0.0F;
  float falling = 0.0F;
};

// Points first to first + count of each sixteenth of the frame lie in the tile from
// offsets[sixteenth] on, every next one a row further.
struct TileRun {
  std::int32_t first = 0;
  std::int32_t count = 0;
  std::int32_t offsets[16] = {};
};

// The same for every frame; made once by MelTables.
struct MelProgram {
  int fft_size = 0;
  int tile_stride = 0;  // floats from a row of the tile to the next
  int mel_bins = 0;
  float log_floor = 0.0F;
  float magnitude_floor = 0.0F;
  bool takes_power = false;
  // The output is log(band) where both are not set; see MelConfig.
  bool adds_floor = false;
  bool is_normalised = false;
  float scale = 1.0F;  // 1 / deviation
  float mean = 0.0F;
  const TileRun* runs = nullptr;
  int num_runs = 0;
  bool has_quarter_hops = false;  // a hop is a quarter of the frame, so there is one run
  const MelBin* bins = nullptr;
  const std::int32_t* side_ends = nullptr;  // mel_bins + 1 of them
  FftFactors factors;
};

// One group of frames. The tile holds the signal hop by hop, a column for each: tile[row][column]
// is sample `row` of hop `column`, so that one load fetches the same sample of all frames.
struct MelGroup {
  const float* tile = nullptr;    // at the column of the first frame
  const float* window = nullptr;  // fft_size factors, sixteen at a time (MelTables)
  float* work = nullptr;          // FftPlan::work_size() vectors, the last one zero
  float* bands = nullptr;         // mel_bins vectors, rounded up to a whole number of registers
  float* out = nullptr;           // [frames, mel_bins]
  int frames = 0;                 // wanted ones, at most `lanes`
  bool streams = false;           // `out` begins on a cache line, and so does every frame of it
};

// A column is `rows` samples of the signal; `lanes` columns become neighbours in the tile.
struct TileTarget {
  float* tile = nullptr;
  int stride = 0;
  int rows = 0;
};

constexpr int kMaxLanes = 16;

struct MelKernels {
  const char* name = "";
  int lanes = 0;
  void (*fill_float)(const float* const* columns, const TileTarget& target) = nullptr;
  void (*fill_pcm16)(const std::int16_t* const* columns, const TileTarget& target) = nullptr;
  void (*log_mel)(const MelProgram& program, const MelGroup& group) = nullptr;
  // What was written past the caches is there for other threads. Null: these kernels cannot.
  void (*end_stream)() = nullptr;
  // For the tests: `count` vectors of numbers from 2^-100 to 2^100 become their square roots, as
  // log_mel takes every other one.
  void (*take_roots)(float* numbers, std::ptrdiff_t count) = nullptr;
};

// The same for every frame of Griffin-Lim.
struct GriffinLimProgram {
  int fft_size = 0;
  const BinPlace* bins = nullptr;  // unpadded, in vectors
  int num_bins = 0;
  FftFactors factors;
  const float* window = nullptr;     // [fft_size]
  const float* synthesis = nullptr;  // [fft_size], the window over fft_size
  float momentum = 0.0F;             // share of the former spectrum that is taken away
  float doubt = 0.0F;                // share of the square of a magnitude below which ...
  float level = 1.0F;  // ... a bin keeps less of it; makes up for that where it is right
};

// One group of frames of Griffin-Lim; pointers to samples are one for each lane.
struct GriffinLimGroup {
  const float* const* signal = nullptr;  // fft_size samples from each
  float* const* sum = nullptr;           // what comes of the frame is added here
  float* work = nullptr;                 // fft_size + 1 vectors, the last one zero
  float* previous = nullptr;             // the same, kept from step to step
  const float* magnitudes = nullptr;     // [num_bins] vectors, in the order of the bins
};

struct GriffinLimKernels {
  const char* name = "";
  int lanes = 0;
  // Spectrum of the signal, its phases under the wanted magnitudes, back to samples.
  void (*step)(const GriffinLimProgram& program, const GriffinLimGroup& group) = nullptr;
  // For the tests: fft_size vectors to bins and back, times fft_size.
  void (*forward)(const GriffinLimProgram& program, float* work) = nullptr;
  void (*inverse)(const GriffinLimProgram& program, float* work) = nullptr;
};

MelKernels baseline_mel_kernels();
MelKernels avx2_mel_kernels();
MelKernels avx512_mel_kernels();
GriffinLimKernels baseline_griffin_lim_kernels();
GriffinLimKernels avx2_griffin_lim_kernels();

// What this machine can run, fastest first; never empty. Those that fuse multiplication and
// addition (all but "baseline" on x86-64) give the same bits.
std::vector<MelKernels> usable_mel_kernels();
// The fastest this machine can run.
GriffinLimKernels best_griffin_lim_kernels();

}  // namespace qanat
