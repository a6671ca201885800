// Sums and searches over all alignments of a row: one block per row, its threads side by side over
// the tokens, the frames one after the other. The arithmetic is that of model/forward_sum.cpp, in
// logarithms, and of model/monotonic_search.cpp, to the bit.
//
// Compiled twice: for the GPU when the program starts (nvrtc.h), and for tests as C++ whose threads
// take turns (lockstep_testing.h). Therefore it includes nothing, and these words stand for what
// the two call differently: QANAT_KERNEL, QANAT_DEVICE, QANAT_THREAD, QANAT_THREADS, QANAT_ROW,
// QANAT_INFINITY, and QANAT_MEET, which no thread of a block passes before all have come to it.

using Index = long long;

// A logarithm of zero that can be added to itself for as many frames as there are.
#define QANAT_NEVER -1e300

QANAT_DEVICE double log_weight(float weight) {
  return double(weight) < QANAT_NEVER ? QANAT_NEVER : double(weight);
}

// Sums in double precision, what is added to the larger one in single: it is below log 2, so the
// error is that of a rounded probability, and GPUs for games are slow with the former.
QANAT_DEVICE double add_logs(double a, double b) {
  const double larger = a > b ? a : b;
  const double smaller = a > b ? b : a;
  return larger + double(log1pf(expf(float(smaller - larger))));
}

// One row of the sum. States of a frame: in token n, or in the pause before it; pause number
// `tokens` is the last one.
struct SumRow {
  int tokens;
  int frames;
  int width;             // of the weights of a frame
  int stride;            // of `reached` and of the gradient
  const float* weights;  // of a frame: of no token, then of each token
  double* reached;       // by frame and token: how likely everything up to it is
  double* pauses;        // of an even and of an odd frame
  double* after;         // likewise, of the tokens: how likely everything behind the frame is
  float* gradient;
};

QANAT_DEVICE SumRow sum_row(const ForwardSumArguments& in, Index row) {
  const int width = in.rows.max_tokens + 1;
  const Index first = row * in.rows.max_frames * in.rows.max_tokens;
  double* states = in.states + row * 4 * width;
  return {int(in.rows.tokens[row]),
          int(in.rows.frames[row]),
          width,
          in.rows.max_tokens,
          in.weights + row * in.rows.max_frames * width,
          in.reached + first,
          states,
          states + 2 * Index(width),
          in.gradient + first};
}

// From the states of the frame before to those of frame t.
QANAT_DEVICE void reach_frame(const SumRow& row, int t, int thread, int threads) {
  const float* weight = row.weights + Index(t) * row.width;
  const double* last = row.reached + Index(t - 1) * row.stride;
  const double* last_pause = row.pauses + ((t + 1) & 1) * row.width;
  double* now = row.reached + Index(t) * row.stride;
  double* now_pause = row.pauses + (t & 1) * row.width;
  for (int i = thread; i <= row.tokens; i += threads) {
    double entered = i == 0 ? 0 : QANAT_NEVER;
    double stayed = QANAT_NEVER;
    if (t > 0) {
      entered = i == 0 ? last_pause[0] : add_logs(last_pause[i], last[i - 1]);
      stayed = i < row.tokens ? last[i] : QANAT_NEVER;
    }
    now_pause[i] = entered + log_weight(weight[0]);
    if (i < row.tokens) {
      now[i] = add_logs(entered, stayed) + log_weight(weight[i + 1]);
    }
  }
}

// From what follows the frame after to what follows frame t, and the gradient there.
QANAT_DEVICE void leave_frame(
    const SumRow& row, int t, double likelihood, int thread, int threads) {
  const float* weight = row.weights + Index(t) * row.width;
  const float* next_weight = weight + row.width;
  const double* next = row.after + ((t + 1) & 1) * row.width;
  const double* next_pause = row.pauses + ((t + 1) & 1) * row.width;
  double* now = row.after + (t & 1) * row.width;
  double* now_pause = row.pauses + (t & 1) * row.width;
  const int tokens = row.tokens;
  for (int i = thread; i <= tokens; i += threads) {
    double token = i == tokens - 1 ? 0 : QANAT_NEVER;
    double pause = i == tokens ? 0 : QANAT_NEVER;
    if (t < row.frames - 1) {
      const double none = log_weight(next_weight[0]);
      const double stay = i < tokens ? next[i] + log_weight(next_weight[i + 1]) : QANAT_NEVER;
      const double follow =
          i + 1 < tokens ? next[i + 1] + log_weight(next_weight[i + 2]) : QANAT_NEVER;
      pause = add_logs(next_pause[i] + none, stay);
      token = i < tokens ? add_logs(add_logs(stay, next_pause[i + 1] + none), follow) : QANAT_NEVER;
    }
    now[i] = token;
    now_pause[i] = pause;
    if (i < tokens) {
      const Index at = Index(t) * row.stride + i;
      row.gradient[at] = expf(weight[i + 1]) - expf(float(row.reached[at] + token - likelihood));
    }
  }
}

QANAT_KERNEL forward_sum(ForwardSumArguments in) {
  const int thread = QANAT_THREAD;
  const int threads = QANAT_THREADS;
  const Index number = QANAT_ROW;
  const SumRow row = sum_row(in, number);
  for (int t = 0; t < row.frames; ++t) {
    reach_frame(row, t, thread, threads);
    QANAT_MEET;
  }
  const int last = row.frames - 1;
  const double likelihood = add_logs(row.reached[Index(last) * row.stride + row.tokens - 1],
                                     row.pauses[(last & 1) * row.width + row.tokens]);
  const bool possible = likelihood > QANAT_NEVER / 2;
  QANAT_MEET;
  for (int t = possible ? last : -1; t >= 0; --t) {
    leave_frame(row, t, likelihood, thread, threads);
    QANAT_MEET;
  }
  if (thread == 0) {
    in.losses[number] = possible ? float(-likelihood) : QANAT_INFINITY;
  }
}

QANAT_KERNEL search_durations(DurationArguments in) {
  const int thread = QANAT_THREAD;
  const int threads = QANAT_THREADS;
  const Index row = QANAT_ROW;
  const int max_tokens = in.rows.max_tokens;
  const int tokens = int(in.rows.tokens[row]);
  const int frames = int(in.rows.frames[row]);
  const float* scores = in.scores + row * in.rows.max_frames * max_tokens;
  unsigned char* advanced = in.advanced + row * in.rows.max_frames * max_tokens;
  float* best = in.best + row * 2 * max_tokens;  // that ends in a token, at an even or odd frame

  for (int i = thread; i < tokens; i += threads) {
    best[i] = i == 0 ? scores[0] : -QANAT_INFINITY;
  }
  QANAT_MEET;
  for (int t = 1; t < frames; ++t) {
    const float* last = best + ((t - 1) & 1) * max_tokens;
    float* now = best + (t & 1) * max_tokens;
    for (int i = thread; i < tokens; i += threads) {
      const Index at = Index(t) * max_tokens + i;
      const float stay = last[i];
      const float advance = i == 0 ? -QANAT_INFINITY : last[i - 1];
      advanced[at] = advance > stay ? 1 : 0;
      now[i] = (advance > stay ? advance : stay) + scores[at];
    }
    QANAT_MEET;
  }

  // From the last token at the last frame backwards. A token n cannot begin before frame n.
  if (thread == 0 && tokens > 0) {
    Index* durations = in.durations + row * max_tokens;
    int n = tokens - 1;
    Index lasted = 0;
    for (int t = frames - 1; t > 0; --t) {
      ++lasted;
      if (n > 0 && (n == t || advanced[Index(t) * max_tokens + n] != 0)) {
        durations[n--] = lasted;
        lasted = 0;
      }
    }
    durations[n] = lasted + 1;
  }
}
