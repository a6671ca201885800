#include "export/network_graph.h"

#include <cmath>

#include "base/check.h"

namespace qanat {

const Array& LayerWriter::array(const std::string& name) const {
  const auto found = weights_.find(name);
  QANAT_CHECK(found != weights_.end()) << name;
  return found->second;
}

GraphValue LayerWriter::linear(const std::string& name, const GraphValue& x) {
  const GraphValue weight = graph_.weight(transposed(array(name + ".weight")));
  return graph_.add(graph_.product(x, weight), graph_.weight(array(name + ".bias")));
}

GraphValue LayerWriter::norm(const std::string& name, const GraphValue& x, float epsilon) {
  return graph_.op(
      "LayerNormalization",
      {x, graph_.weight(array(name + ".weight")), graph_.weight(array(name + ".bias"))},
      {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}});
}

GraphValue LayerWriter::convolution(const std::string& name, const GraphValue& x) {
  const Array& weight = array(name + ".weight");  // [out, in / groups, kernel]
  const std::int64_t kernel = weight.dims[2];
  const std::int64_t groups = weight.dims[1] == 1 ? weight.dims[0] : 1;
  const GraphValue y = graph_.op(
      "Conv",
      {graph_.transpose(x, {0, 2, 1}), graph_.weight(weight), graph_.weight(array(name + ".bias"))},
      {{"pads", Dims{kernel / 2, kernel / 2}}, {"group", groups}});
  return graph_.transpose(y, {0, 2, 1});
}

GraphValue LayerWriter::attention(const Attended& of, std::int64_t heads, std::int64_t width) {
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(width / heads)));
  const auto split = [&](const GraphValue& x, const Dims& order) {  // heads first
    return graph_.transpose(graph_.reshape(x, {1, -1, heads, width / heads}), order);
  };
  const GraphValue queries = graph_.multiply(split(of.queries, {0, 2, 1, 3}), graph_.number(scale));
  const GraphValue scores = graph_.product(queries, split(of.keys, {0, 2, 3, 1}));
  const GraphValue shares = graph_.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const GraphValue mixed = graph_.product(shares, split(of.values, {0, 2, 1, 3}));
  return graph_.reshape(graph_.transpose(mixed, {0, 2, 1, 3}), {1, -1, width});
}

GraphValue LayerWriter::positions(const GraphValue& x, std::int64_t channels) {
  Array frequency{.dims = {1, channels / 2}, .values = {}};
  for (std::int64_t i = 0; i < channels; i += 2) {
    const auto step = static_cast<float>(-std::log(10000.0) / static_cast<double>(channels));
    frequency.values.push_back(std::exp(static_cast<float>(i) * step));
  }
  const GraphValue count = graph_.op("Squeeze", {graph_.length(x, 1)});
  const GraphValue place = graph_.op("Range", {graph_.whole(0), count, graph_.whole(1)});
  const GraphValue column = graph_.reshape(graph_.cast(place, OnnxType::f32), {-1, 1});
  const GraphValue angle = graph_.multiply(column, graph_.table(frequency));
  return graph_.join({graph_.op("Sin", {angle}), graph_.op("Cos", {angle})}, 1);
}

}  // namespace qanat
