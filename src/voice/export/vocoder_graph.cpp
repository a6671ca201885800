#include "export/vocoder_graph.h"

#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "export/network_graph.h"
#include "export/spectrum_tables.h"
#include "features/griffin_lim.h"
#include "features/mel_filterbank.h"

namespace qanat {
namespace {

// As of generator.cpp and griffin_lim.cpp, which say why.
constexpr float kVocoderNormEpsilon = 1e-6F;
constexpr float kMaxGain = 6;
constexpr float kLoudest = 12.0F;
constexpr float kSmallest = 1e-12F;
constexpr float kSmallestOverlap = 0.05F;
constexpr float kTiny = 1e-20F;
constexpr float kMomentum = 0.99F;
constexpr std::int64_t kSharpenings = 30;

// What the bands weigh, and how a correction of the bands is spread to the bins.
struct BandTables {
  Array sums;    // [bands, bins]
  Array spread;  // [bins, bands]
  Array kept;    // [bins, 1]: 1 for bins in no band, which stay as they are
};

BandTables band_tables(const MelConfig& config) {
  const MelFilterbank bank = make_mel_filterbank(config);
  const std::int64_t bins = config.fft_size / 2 + 1;
  const std::int64_t bands = config.mel_bins;
  BandTables tables{.sums = {.dims = {bands, bins}, .values = {}},
                    .spread = {},
                    .kept = {.dims = {bins, 1}, .values = {}}};
  tables.sums.values.assign(static_cast<std::size_t>(bands * bins), 0.0F);
  tables.kept.values.assign(static_cast<std::size_t>(bins), 1.0F);
  const auto weigh = [&](std::int64_t band, std::int64_t bin, float weight) {
    if (band >= 0 && band < bands) {
      tables.sums.values[static_cast<std::size_t>(band * bins + bin)] += weight;
    }
  };
  std::int64_t bin = 0;
  for (std::int64_t side = 0; side < std::ssize(bank.side_ends); ++side) {
    for (; bin < bank.side_ends[static_cast<std::size_t>(side)]; ++bin) {
      const BinWeights& weights = bank.weights[static_cast<std::size_t>(bin)];
      weigh(side, bank.first_bin + bin, weights.rising);
      weigh(side - 1, bank.first_bin + bin, weights.falling);
    }
  }
  tables.spread = transposed(tables.sums);
  bin = 0;
  for (const BinWeights& weights : bank.weights) {
    const float all = weights.rising + weights.falling;
    const std::int64_t row = bank.first_bin + bin++;
    const bool counts = all > kSmallest;
    tables.kept.values[static_cast<std::size_t>(row)] = counts ? 0.0F : 1.0F;
    for (std::int64_t band = 0; band < bands; ++band) {
      float& share = tables.spread.values[static_cast<std::size_t>(row * bands + band)];
      share = counts ? share / all : 0.0F;
    }
  }
  return tables;
}

class VocosWriter {
 public:
  VocosWriter(GraphBuilder& graph, const VocosPlan& plan, const ArrayMap& weights)
      : graph_(graph),
        plan_(plan),
        layers_(graph, weights),
        size_{.fft_size = plan.mel.fft_size, .hop = plan.mel.hop} {}

  GraphValue speak(const GraphValue& mel) {
    const Prediction prediction = predict(mel);
    const GraphValue count = graph_.length(mel, 1);
    const SpectrumWriter own(graph_, size_, hann_in(size_.fft_size, size_.fft_size));
    const GraphValue gain = own.gain(count, kSmallestOverlap);
    GraphValue signal = graph_.multiply(own.overlapped(graph_, prediction.spectrum), gain);
    if (plan_.refinements > 0) {
      const GraphValue magnitudes = sharpened(mel, prediction.magnitude);
      const Start start{.signal = inside(signal), .magnitudes = magnitudes, .frames = count};
      if (plan_.mel.window == plan_.mel.fft_size) {
        signal = refine(start, own, gain);
      } else {
        const SpectrumWriter narrow(graph_, size_, hann_in(size_.fft_size, plan_.mel.window));
        signal = refine(start, narrow, narrow.gain(count, kSmallestOverlap));
      }
    }
    const GraphValue samples = graph_.transpose(inside(signal), {0, 2, 1});
    return graph_.reshape(samples, {1, 1, -1});
  }

 private:
  struct Prediction {
    GraphValue magnitude;  // [bins, frames]
    GraphValue spectrum;   // as of SpectrumWriter
  };

  struct Start {
    GraphValue signal;      // what is heard of it
    GraphValue magnitudes;  // [rows, 1, B, frames]
    GraphValue frames;      // i64 [1]
  };

  Prediction predict(const GraphValue& mel) {
    const GraphValue normal =
        graph_.divide(graph_.subtract(mel, graph_.number(static_cast<float>(plan_.mel_mean))),
                      graph_.number(static_cast<float>(plan_.mel_std)));
    GraphValue x =
        layers_.norm("first_norm", layers_.convolution("embed", normal), kVocoderNormEpsilon);
    for (std::int64_t i = 0; i < plan_.blocks; ++i) {
      x = block(fmt::format("blocks.{}", i), x);
    }
    const GraphValue head =
        graph_.transpose(layers_.linear("head", layers_.norm("last_norm", x, kVocoderNormEpsilon)),
                         {0, 2, 1});  // [1, 2 * bins, frames]
    const std::int64_t bins = plan_.mel.fft_size / 2 + 1;
    const GraphValue smooth = graph_.product(graph_.table(transposed(plan_.smooth)),
                                             graph_.op("Exp", {graph_.transpose(mel, {0, 2, 1})}));
    const GraphValue louder = graph_.op(
        "Exp", {graph_.op("Min", {graph_.slice(head, 0, bins, 1), graph_.number(kMaxGain)})});
    const GraphValue magnitude = graph_.reshape(graph_.multiply(smooth, louder), {bins, -1});
    const GraphValue phase = graph_.reshape(graph_.slice(head, bins, 2 * bins, 1), {bins, -1});
    return {.magnitude = magnitude,
            .spectrum = placed(graph_.multiply(magnitude, graph_.op("Cos", {phase})),
                               graph_.multiply(magnitude, graph_.op("Sin", {phase})))};
  }

  GraphValue block(const std::string& name, const GraphValue& x) {
    const GraphValue near = layers_.norm(
        name + ".norm", layers_.convolution(name + ".depthwise", x), kVocoderNormEpsilon);
    const GraphValue inner = graph_.silu(layers_.linear(name + ".in", near));
    const GraphValue out = layers_.linear(name + ".out", inner);
    return graph_.add(x, graph_.multiply(graph_.weight(layers_.array(name + ".scale")), out));
  }

  // Real and imaginary parts, [bins, frames] both, where a spectrum has them.
  GraphValue placed(const GraphValue& real, const GraphValue& imaginary) {
    SpectrumPlaces places = spectrum_places(size_);
    const GraphValue bins = graph_.wholes(places.bins);
    const std::int64_t rows = size_.rows();
    const std::int64_t inner = size_.inner();
    const GraphValue signs =
        graph_.table({.dims = {rows * inner, 1}, .values = std::move(places.signs)});
    const GraphValue apart = graph_.multiply(graph_.gather(imaginary, bins, 0), signs);
    return graph_.join({graph_.reshape(graph_.gather(real, bins, 0), {rows, inner, -1}),
                        graph_.reshape(apart, {rows, inner, -1})},
                       1);
  }

  // What is heard of a signal, silence around it: [1, B, samples / B].
  GraphValue inside(const GraphValue& signal) {
    const std::int64_t lead = size_.lead() / size_.inner();
    return lead == 0 ? signal : graph_.slice(signal, lead, -lead, 2);
  }

  // The magnitudes, made to have the bands of the mel; where a spectrum has them.
  GraphValue sharpened(const GraphValue& mel, const GraphValue& magnitude) {
    BandTables tables = band_tables(plan_.mel);
    const GraphValue wanted = graph_.op(
        "Exp",
        {graph_.op("Clip",
                   {graph_.reshape(graph_.transpose(mel, {0, 2, 1}), {plan_.mel.mel_bins, -1}),
                    graph_.number(std::log(plan_.mel.log_floor)),
                    graph_.number(kLoudest)})});
    const GraphValue sums = graph_.table(tables.sums);
    const GraphValue spread = graph_.table(tables.spread);
    const GraphValue kept = graph_.table(tables.kept);
    GraphBuilder body(WeightType::f32, "sharpen.");
    const GraphValue bins = body.begin_body(1).front();
    const GraphValue bands = body.op("Max", {body.product(sums, bins), body.number(kSmallest)});
    const GraphValue correction = body.add(body.product(spread, body.divide(wanted, bands)), kept);
    const std::vector<GraphValue> after = {body.multiply(bins, correction)};
    const GraphValue sharp =
        graph_.repeat(kSharpenings, {magnitude}, std::move(body).finish_body(after)).front();
    const GraphValue places = graph_.wholes(spectrum_places(size_).bins);
    return graph_.reshape(graph_.gather(sharp, places, 0), {size_.rows(), 1, size_.inner(), -1});
  }

  // Griffin-Lim with momentum, from the phases of a signal on.
  GraphValue refine(const Start& start, const SpectrumWriter& search, const GraphValue& gain) {
    const std::int64_t lead = size_.lead() / size_.inner();
    const GraphValue around =
        graph_.op("Pad", {start.signal, graph_.wholes({0, 0, lead, 0, 0, lead})});
    const std::int64_t rows = size_.rows();
    const std::int64_t inner = size_.inner();
    const GraphValue nothing = graph_.op(
        "Expand",
        {graph_.number(0), graph_.join({graph_.wholes({rows, 2 * inner}), start.frames}, 0)});
    const float share = kMomentum / (1.0F + kMomentum);
    const float level = std::sqrt(1.0F + kDoubtOfPredictions * kDoubtOfPredictions);
    const GraphValue full = graph_.multiply(start.magnitudes, graph_.number(level));
    const GraphValue doubted =
        graph_.multiply(start.magnitudes, graph_.number(kDoubtOfPredictions * (1.0F - share)));
    const GraphValue least = graph_.add(graph_.multiply(doubted, doubted), graph_.number(kTiny));
    GraphBuilder body(WeightType::f32, "refine.");
    const std::vector<GraphValue> states = body.begin_body(2);
    const GraphValue spectrum = search.spectrum(body, states[0]);
    const GraphValue driven =
        body.reshape(body.subtract(spectrum, body.multiply(states[1], body.number(share))),
                     {rows, 2, inner, -1});
    const GraphValue square = body.add(body.sum(body.multiply(driven, driven), 1), least);
    const GraphValue scale = body.divide(full, body.op("Sqrt", {square}));
    const GraphValue wanted = body.reshape(body.multiply(driven, scale), {rows, 2 * inner, -1});
    const GraphValue signal = body.multiply(search.overlapped(body, wanted), gain);
    const std::vector<GraphValue> after = {signal, spectrum};
    return graph_.repeat(plan_.refinements, {around, nothing}, std::move(body).finish_body(after))
        .front();
  }

  GraphBuilder& graph_;
  const VocosPlan& plan_;
  LayerWriter layers_;
  SpectrumSize size_;
};

}  // namespace

GraphValue vocode(GraphBuilder& graph,
                  const VocosPlan& plan,
                  const ArrayMap& weights,
                  const GraphValue& mel) {
  return VocosWriter(graph, plan, weights).speak(mel);
}

}  // namespace qanat
