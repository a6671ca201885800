#include "export/hifigan_graph.h"

#include "export/voice_table.h"

namespace qanat {
namespace {

GraphValue leaky(GraphBuilder& graph, const GraphValue& x, double slope) {
  return graph.op("LeakyRelu", {x}, {{"alpha", static_cast<float>(slope)}});
}

GraphValue convolve(GraphBuilder& graph,
                    const GraphValue& x,
                    const HifiGan::Convolution& with,
                    std::int64_t dilation = 1) {
  const Array weight = to_array(with.weight);
  const std::int64_t pad = (weight.dims[2] - 1) * dilation / 2;
  return graph.op("Conv",
                  {x, graph.weight(weight), graph.weight(to_array(with.bias))},
                  {{"pads", Dims{pad, pad}}, {"dilations", Dims{dilation}}});
}

GraphValue residual(GraphBuilder& graph, const HifiGan::ResidualBlock& block, GraphValue x) {
  for (std::size_t i = 0; i < block.first.size(); ++i) {
    GraphValue y =
        convolve(graph, leaky(graph, x, HifiGan::kSlope), block.first[i], block.dilations[i]);
    if (!block.second.empty()) {
      y = convolve(graph, leaky(graph, y, HifiGan::kSlope), block.second[i]);
    }
    x = graph.add(x, y);
  }
  return x;
}

GraphValue upsample(GraphBuilder& graph,
                    const GraphValue& x,
                    const HifiGan::Convolution& with,
                    std::int64_t rate) {
  const Array weight = to_array(with.weight);
  const std::int64_t pad = (weight.dims[2] - rate) / 2;
  return graph.op(
      "ConvTranspose",
      {leaky(graph, x, HifiGan::kSlope), graph.weight(weight), graph.weight(to_array(with.bias))},
      {{"strides", Dims{rate}}, {"pads", Dims{pad, pad}}});
}

}  // namespace

GraphValue vocode(GraphBuilder& graph, const HifiGan& vocoder, const GraphValue& mel) {
  GraphValue x = convolve(graph, graph.transpose(mel, {0, 2, 1}), vocoder.first());
  for (std::size_t i = 0; i < vocoder.stages().size(); ++i) {
    const HifiGan::Stage& stage = vocoder.stages()[i];
    x = upsample(graph, x, stage.up, vocoder.shape().rates[i]);
    std::vector<GraphValue> heard;
    for (const HifiGan::ResidualBlock& block : stage.blocks) {
      heard.push_back(residual(graph, block, x));
    }
    x = graph.op("Mean", heard);
  }
  return graph.op("Tanh", {convolve(graph, leaky(graph, x, HifiGan::kLastSlope), vocoder.last())});
}

}  // namespace qanat
