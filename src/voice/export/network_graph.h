// The layers that the networks here are made of, as nodes of a graph. Sequences are [1, positions,
// channels], all of them real: there is no padding to mask.
#pragma once

#include <cstdint>
#include <string>

#include "export/graph_builder.h"

namespace qanat {

// Looks weights up by the names they have in a checkpoint; the graph and the map outlive it.
class LayerWriter {
 public:
  LayerWriter(GraphBuilder& graph, const ArrayMap& weights) : graph_(graph), weights_(weights) {}

  GraphBuilder& graph() { return graph_; }
  const Array& array(const std::string& name) const;

  GraphValue linear(const std::string& name, const GraphValue& x);
  GraphValue norm(const std::string& name, const GraphValue& x, float epsilon);
  // Along time, with zeros at both ends, as many groups as the weights say.
  GraphValue convolution(const std::string& name, const GraphValue& x);
  // [1, T, width], twice [1, S, width] -> [1, T, width].
  struct Attended {
    GraphValue queries;
    GraphValue keys;
    GraphValue values;
  };
  GraphValue attention(const Attended& of, std::int64_t heads, std::int64_t width);
  // Positions of x, [1, positions, channels]: sines and cosines to be added.
  GraphValue positions(const GraphValue& x, std::int64_t channels);

 private:
  GraphBuilder& graph_;
  const ArrayMap& weights_;
};

}  // namespace qanat
