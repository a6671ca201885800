#include "export/speech_graph.h"

#include <numbers>
#include <string>

#include <fmt/format.h>

#include "export/network_graph.h"

namespace qanat {
namespace {

constexpr float kSpeechNormEpsilon = 1e-5F;  // libtorch's
constexpr float kLongestToken = 75;          // frames, as of SynthesisOptions
constexpr int kTextConvolutions = 3;

struct BlockSize {
  std::int64_t width = 0;
  std::int64_t heads = 0;
};

class SpeechWriter {
 public:
  SpeechWriter(GraphBuilder& graph, const ModelShape& shape, const ArrayMap& weights)
      : graph_(graph), shape_(shape), layers_(graph, weights) {}

  // f32 [1, n, text width]; speaker: [1, speaker width].
  GraphValue encode(const GraphValue& tokens, const GraphValue& speaker) {
    const GraphValue table = graph_.weight(layers_.array("text_encoder.embedding.weight"));
    GraphValue x = graph_.gather(table, graph_.reshape(tokens, {1, -1}), 0);
    for (int i = 0; i < kTextConvolutions; ++i) {
      const GraphValue y = layers_.convolution(fmt::format("text_encoder.convolutions.{}", i), x);
      x = graph_.add(x, graph_.silu(norm(fmt::format("text_encoder.norms.{}", i), y)));
    }
    x = graph_.add(x, layers_.linear("text_encoder.speaker", speaker));
    x = graph_.add(x, layers_.positions(x, shape_.text_width));
    const BlockSize size{shape_.text_width, shape_.text_heads};
    for (int i = 0; i < shape_.text_layers; ++i) {
      const std::string name = fmt::format("text_encoder.blocks.{}", i);
      x = feed_forward(name, self_attention(name, x, size));
    }
    return norm("text_encoder.norm", x);
  }

  // i64 [n]
  GraphValue durations(const GraphValue& encoded,
                       const GraphValue& speaker,
                       const GraphValue& length_scale) {
    const std::string name = "duration_predictor.";
    GraphValue x = graph_.add(encoded, layers_.linear(name + "speaker", speaker));
    for (const char* layer : {"first", "second"}) {
      x = graph_.silu(layers_.convolution(name + layer, x));
      x = norm(name + layer + "_norm", x);
    }
    const GraphValue frames =
        graph_.op("Exp", {graph_.reshape(layers_.linear(name + "out", x), {-1})});
    const GraphValue whole = graph_.op("Round", {graph_.multiply(frames, length_scale)});
    return graph_.cast(graph_.op("Clip", {whole, graph_.number(1), graph_.number(kLongestToken)}),
                       OnnxType::i64);
  }

  // f32 [1, frames, mel_bins]
  GraphValue decode(const GraphValue& encoded,
                    const GraphValue& durations,
                    const GraphValue& latents) {
    const Places places = place(durations);
    const GraphValue repeated =
        graph_.multiply(graph_.gather(encoded, places.tokens, 1), places.valid);
    const GraphValue frames = graph_.join({repeated, places.phase}, 2);
    const std::int64_t width = shape_.patch * (shape_.text_width + 3);
    GraphValue x = layers_.linear("decoder.in", graph_.reshape(frames, {1, -1, width}));
    x = graph_.add(x, layers_.positions(x, shape_.decoder_width));
    const BlockSize size{shape_.decoder_width, shape_.decoder_heads};
    for (int i = 0; i < shape_.decoder_layers; ++i) {
      const std::string name = fmt::format("decoder.blocks.{}", i);
      x = cross_attention(name, self_attention(name, x, size), latents, size);
      x = feed_forward(name, x);
    }
    x = layers_.linear("decoder.out", norm("decoder.norm", x));
    x = graph_.reshape(x, {1, -1, shape_.mel_bins});
    const GraphValue prior = layers_.linear("prior_mean", encoded);
    x = graph_.add(x, graph_.multiply(graph_.gather(prior, places.tokens, 1), places.valid));
    if (shape_.postnet_width > 0) {
      x = sharpen(x, places.valid);
    }
    const GraphValue mel = graph_.slice(x, graph_.wholes({0}), places.frames, 1);
    return graph_.add(graph_.multiply(mel, graph_.number(shape_.mel_std)),
                      graph_.number(shape_.mel_mean));
  }

 private:
  struct Places {
    GraphValue tokens;  // i64 [T]: of each frame
    GraphValue phase;   // f32 [1, T, 3]
    GraphValue valid;   // f32 [1, T, 1]
    GraphValue frames;  // i64 [1]: T without the rest of the last patch
  };

  GraphValue norm(const std::string& name, const GraphValue& x) {
    return layers_.norm(name, x, kSpeechNormEpsilon);
  }

  GraphValue self_attention(const std::string& name, const GraphValue& x, BlockSize size) {
    const std::string own = name + ".attention";
    const GraphValue all = layers_.linear(own + ".queries_keys_values", norm(own + "_norm", x));
    const auto part = [&](std::int64_t i) {
      return graph_.slice(all, i * size.width, (i + 1) * size.width, 2);
    };
    const GraphValue mixed = layers_.attention({part(0), part(1), part(2)}, size.heads, size.width);
    return graph_.add(x, layers_.linear(own + ".out", mixed));
  }

  GraphValue cross_attention(const std::string& name,
                             const GraphValue& x,
                             const GraphValue& context,
                             BlockSize size) {
    const std::string own = name + ".context_attention";
    const GraphValue queries = layers_.linear(own + ".queries", norm(name + ".context_norm", x));
    const GraphValue all = layers_.linear(own + ".keys_values", context);
    const GraphValue mixed = layers_.attention({queries,
                                                graph_.slice(all, 0, size.width, 2),
                                                graph_.slice(all, size.width, 2 * size.width, 2)},
                                               size.heads,
                                               size.width);
    return graph_.add(x, layers_.linear(own + ".out", mixed));
  }

  GraphValue feed_forward(const std::string& name, const GraphValue& x) {
    const GraphValue in = layers_.convolution(name + ".ffn.in", norm(name + ".ffn_norm", x));
    return graph_.add(x, layers_.convolution(name + ".ffn.out", graph_.silu(in)));
  }

  GraphValue sharpen(const GraphValue& mel, const GraphValue& valid) {
    GraphValue x = graph_.silu(layers_.convolution("postnet.in", graph_.multiply(mel, valid)));
    x = graph_.silu(layers_.convolution("postnet.inner", graph_.multiply(x, valid)));
    return graph_.add(mel, layers_.convolution("postnet.out", graph_.multiply(x, valid)));
  }

  // As place_frames(): every token is repeated as long as it lasts.
  Places place(const GraphValue& durations) {
    const GraphValue ends = graph_.op("CumSum", {durations, graph_.whole(0)});  // [n]
    const GraphValue frames = graph_.slice(ends, -1, kToTheEnd, 0);             // [1]
    const GraphValue patch = graph_.whole(shape_.patch);
    const GraphValue patches =
        graph_.divide(graph_.add(frames, graph_.whole(shape_.patch - 1)), patch);
    const GraphValue count = graph_.op("Squeeze", {graph_.multiply(patches, patch)});
    const GraphValue frame = graph_.op("Range", {graph_.whole(0), count, graph_.whole(1)});  // [T]
    const GraphValue over = graph_.op(
        "GreaterOrEqual", {graph_.reshape(frame, {-1, 1}), graph_.reshape(ends, {1, -1})});
    const GraphValue passed = graph_.reshape(graph_.sum(graph_.cast(over, OnnxType::i64), 1), {-1});
    const GraphValue last = graph_.subtract(graph_.length(durations, 0), graph_.wholes({1}));
    Places places;
    places.frames = frames;
    places.tokens = graph_.op("Min", {passed, last});
    places.valid =
        graph_.reshape(graph_.cast(graph_.op("Less", {frame, frames}), OnnxType::f32), {1, -1, 1});
    const auto real = [&](const GraphValue& x) { return graph_.cast(x, OnnxType::f32); };
    const GraphValue duration = real(graph_.gather(durations, places.tokens, 0));  // [T]
    const GraphValue end = real(graph_.gather(ends, places.tokens, 0));
    const GraphValue into =
        graph_.add(graph_.subtract(graph_.add(real(frame), duration), end), graph_.number(0.5F));
    const GraphValue phase = graph_.divide(into, duration);
    const auto column = [&](const GraphValue& x) { return graph_.reshape(x, {1, -1, 1}); };
    const GraphValue angle =
        graph_.multiply(phase, graph_.number(static_cast<float>(std::numbers::pi)));
    const GraphValue features = graph_.join({column(graph_.subtract(phase, graph_.number(0.5F))),
                                             column(graph_.op("Sin", {angle})),
                                             column(graph_.op("Log", {duration}))},
                                            2);
    places.phase = graph_.multiply(features, places.valid);
    return places;
  }

  GraphBuilder& graph_;
  const ModelShape& shape_;
  LayerWriter layers_;
};

}  // namespace

SpeechValues speak(GraphBuilder& graph,
                   const ModelShape& shape,
                   const ArrayMap& weights,
                   const VoiceTable& voices,
                   const SpeechInputs& inputs) {
  GraphValue latents = graph.weight(voices.latents);  // [voices, L, width]
  GraphValue vector = graph.weight(voices.vectors);   // [voices, width]
  if (!inputs.voice.name.empty()) {
    latents = graph.gather(latents, inputs.voice, 0);
    vector = graph.gather(vector, inputs.voice, 0);
  }
  SpeechWriter writer(graph, shape, weights);
  const GraphValue encoded = writer.encode(inputs.tokens, vector);
  SpeechValues values;
  values.durations = writer.durations(encoded, vector, inputs.length_scale);
  values.mel = writer.decode(encoded, values.durations, latents);
  return values;
}

}  // namespace qanat
