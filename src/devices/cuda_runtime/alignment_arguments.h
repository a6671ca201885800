// What the kernels of alignment.cu are given: one structure each, so that host, GPU and tests
// cannot disagree about the order. Rows lie one after the other; memory is the device's. Read by
// NVRTC too, which has no headers.
#ifndef QANAT_CUDA_RUNTIME_ALIGNMENT_ARGUMENTS_H
#define QANAT_CUDA_RUNTIME_ALIGNMENT_ARGUMENTS_H

struct AlignmentRows {
  const long long* tokens;  // [rows]
  const long long* frames;  // [rows]
  int max_tokens;
  int max_frames;
};

struct ForwardSumArguments {
  AlignmentRows rows;
  const float* weights;  // [rows, frames, 1 + tokens]: log weight of no token, then of each token
  double* reached;       // [rows, frames, tokens], for the kernel
  double* states;        // [rows, 4, 1 + tokens], for the kernel
  float* losses;         // [rows]
  float* gradient;       // [rows, frames, tokens], zero
};

struct DurationArguments {
  AlignmentRows rows;
  const float* scores;      // [rows, frames, tokens]
  float* best;              // [rows, 2, tokens], for the kernel
  unsigned char* advanced;  // [rows, frames, tokens], for the kernel
  long long* durations;     // [rows, tokens], zero
};

#endif
