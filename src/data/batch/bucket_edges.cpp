#include "batch/bucket_edges.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace qanat {
namespace {

void refuse_senseless(const BatchingConfig& config) {
  const auto at_least_one = [](const char* name, std::int64_t value) {
    if (value < 1) {
      throw Error("{}: {}; expected at least 1", name, value);
    }
  };
  at_least_one("batch size", config.batch_size);
  at_least_one("bucket edges", config.max_edges);
  at_least_one("shortest utterance in frames", config.min_frames);
  at_least_one("longest utterance in tokens", config.max_tokens);
  at_least_one("token multiple", config.token_multiple);
  at_least_one("frame budget", config.frame_budget.value_or(1));
  if (config.max_frames < config.min_frames) {
    throw Error("longest utterance: {} frames; expected at least the shortest, {}",
                config.max_frames,
                config.min_frames);
  }
}

int rows_of(int frames, const BatchingConfig& config) {
  if (!config.frame_budget) {
    return config.batch_size;
  }
  const std::int64_t rows = *config.frame_budget / frames;
  return static_cast<int>(std::clamp<std::int64_t>(rows, 1, std::numeric_limits<int>::max()));
}

// Distinct lengths, ascending. Position p stands for "the p shortest distinct lengths"; an edge at
// p is as long as the longest of them.
struct Histogram {
  std::vector<double> length{0};
  // Rows in full batches when everything up to here is cut: what is left over is carried up into
  // the next bucket, and at the end makes the short batch.
  std::vector<double> cut{0};

  std::size_t size() const { return length.size() - 1; }
};

Histogram make_histogram(std::span<const ItemLength> lengths, const BatchingConfig& config) {
  std::vector<std::int64_t> bins(static_cast<std::size_t>(config.max_frames) + 1);
  for (const ItemLength& length : lengths) {
    if (is_usable(length, config)) {
      ++bins[length.frames];
    }
  }
  Histogram histogram;
  std::int64_t count = 0;
  for (std::size_t length = 1; length < bins.size(); ++length) {
    if (bins[length] == 0) {
      continue;
    }
    count += bins[length];
    const int rows = rows_of(static_cast<int>(length), config);
    // Under a frame budget the rows left over depend on the smaller edges, too: an approximation.
    const auto in_batches = count / rows * rows;
    const auto cut = static_cast<double>(in_batches);
    histogram.length.push_back(static_cast<double>(length));
    histogram.cut.push_back(std::max(cut, histogram.cut.back()));
  }
  histogram.cut.back() = static_cast<double>(count);
  return histogram;
}

// Frames, with padding, of the batches cut for the edge at `last` when the edge below is at
// `first`.
double padded_frames(const Histogram& histogram, std::size_t first, std::size_t last) {
  return histogram.length[last] * (histogram.cut[last] - histogram.cut[first]);
}

struct Layer {
  std::vector<double> frames;         // least padded frames of the lengths up to a position
  std::vector<std::size_t> previous;  // where the last bucket begins in that optimum
};

// Fills layer.frames[low..high] knowing that the best beginning lies in [from, to]. The cost is
// Monge (padded_frames() of two crossing intervals is never above that of the nested ones), so the
// best beginning moves right as the end does, and halving costs D log D instead of D squared.
void fill_layer(const Histogram& histogram,
                const Layer& below,
                Layer& layer,
                std::pair<std::size_t, std::size_t> ends,
                std::pair<std::size_t, std::size_t> begins) {
  const auto [low, high] = ends;
  if (low > high) {
    return;
  }
  const std::size_t end = low + (high - low) / 2;
  double best = std::numeric_limits<double>::infinity();
  std::size_t best_begin = begins.first;
  for (std::size_t begin = begins.first; begin <= std::min(begins.second, end - 1); ++begin) {
    const double frames = below.frames[begin] + padded_frames(histogram, begin, end);
    if (frames < best) {
      best = frames;
      best_begin = begin;
    }
  }
  layer.frames[end] = best;
  layer.previous[end] = best_begin;
  if (end > low) {
    fill_layer(histogram, below, layer, {low, end - 1}, {begins.first, best_begin});
  }
  fill_layer(histogram, below, layer, {end + 1, high}, {best_begin, begins.second});
}

// Positions of the edges, ascending.
std::vector<std::size_t> optimal_positions(const Histogram& histogram, std::size_t max_edges) {
  const std::size_t size = histogram.size();
  std::vector<Layer> layers;  // layers[k]: k + 1 buckets
  layers.push_back({std::vector<double>(size + 1), std::vector<std::size_t>(size + 1)});
  for (std::size_t end = 1; end <= size; ++end) {
    layers[0].frames[end] = padded_frames(histogram, 0, end);
  }
  std::size_t best = 0;
  for (std::size_t edges = 2; edges <= std::min(max_edges, size); ++edges) {
    const double infinity = std::numeric_limits<double>::infinity();
    Layer layer{std::vector<double>(size + 1, infinity), std::vector<std::size_t>(size + 1)};
    fill_layer(histogram, layers.back(), layer, {edges, size}, {edges - 1, size - 1});
    layers.push_back(std::move(layer));
    if (layers.back().frames[size] < layers[best].frames[size]) {
      best = layers.size() - 1;
    }
  }
  std::vector<std::size_t> positions{size};
  for (std::size_t k = best; k > 0; --k) {
    positions.push_back(layers[k].previous[positions.back()]);
  }
  std::reverse(positions.begin(), positions.end());
  return positions;
}

// The longest text among the utterances of each bucket and those below it.
void set_token_edges(BucketEdges& edges,
                     std::span<const ItemLength> lengths,
                     const BatchingConfig& config) {
  for (const ItemLength& length : lengths) {
    if (!is_usable(length, config)) {
      continue;
    }
    const auto edge = std::lower_bound(
        edges.begin(), edges.end(), length.frames, [](const BucketEdge& e, std::uint32_t frames) {
          return static_cast<std::uint32_t>(e.frames) < frames;
        });
    edge->tokens = std::max(edge->tokens, static_cast<int>(length.tokens));
  }
  int most = 0;
  for (BucketEdge& edge : edges) {
    most = std::max(most, edge.tokens);
    const int multiples = (most + config.token_multiple - 1) / config.token_multiple;
    edge.tokens = std::min(multiples * config.token_multiple, config.max_tokens);
  }
}

}  // namespace

bool is_usable(ItemLength length, const BatchingConfig& config) {
  return length.frames >= static_cast<std::uint32_t>(config.min_frames) &&
         length.frames <= static_cast<std::uint32_t>(config.max_frames) && length.tokens >= 1 &&
         length.tokens <= static_cast<std::uint32_t>(config.max_tokens);
}

BucketEdges choose_edges(std::span<const ItemLength> lengths, const BatchingConfig& config) {
  refuse_senseless(config);
  const Histogram histogram = make_histogram(lengths, config);
  if (histogram.size() == 0) {
    return {};
  }
  // No batch has more rows than there are utterances, and none is given room for more.
  const auto rows_at = [&](int frames) {
    return static_cast<int>(std::min<double>(rows_of(frames, config), histogram.cut.back()));
  };
  if (config.max_edges == 1) {
    return {{.frames = config.max_frames,
             .tokens = config.max_tokens,
             .rows = rows_at(config.max_frames)}};
  }
  BucketEdges edges;
  for (const std::size_t position :
       optimal_positions(histogram, static_cast<std::size_t>(config.max_edges))) {
    const int frames = static_cast<int>(histogram.length[position]);
    edges.push_back({.frames = frames, .tokens = 0, .rows = rows_at(frames)});
  }
  set_token_edges(edges, lengths, config);
  return edges;
}

}  // namespace qanat
