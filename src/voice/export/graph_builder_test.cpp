#include "export/graph_builder.h"

#include <gmock/gmock.h>

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(GraphBuilderTest, NodesNameWhatTheyReadAndMake) {
  GraphBuilder graph;
  const GraphValue x = graph.input("x", OnnxType::f32, {1, -1}, "time");

  const GraphValue y = graph.add(x, graph.number(2));
  graph.output("y", y, OnnxType::f32);
  const OnnxGraph made = std::move(graph).finish("g");

  ASSERT_EQ(made.nodes.size(), 2U);
  EXPECT_EQ(made.nodes[0].op, "Add");
  EXPECT_THAT(made.nodes[0].inputs, ElementsAre("x", made.tensors[0].name));
  EXPECT_THAT(made.nodes[1].inputs, ElementsAre(y.name));
  EXPECT_EQ(std::get<std::string>(made.inputs[0].dims[1]), "time");
}

TEST(GraphBuilderTest, StoresEqualSmallNumbersOnce) {
  GraphBuilder graph;

  const GraphValue first = graph.wholes({1, 2});
  const GraphValue second = graph.wholes({1, 2});
  const GraphValue column = graph.wholes({1, 2}, {2, 1});
  const GraphValue real = graph.number(1);

  EXPECT_EQ(first.name, second.name);
  EXPECT_NE(first.name, column.name);
  EXPECT_NE(first.name, real.name);
  EXPECT_EQ(std::move(graph).finish("g").tensors.size(), 3U);
}

TEST(GraphBuilderTest, RoundsWeightsAndNotTables) {
  GraphBuilder graph(WeightType::f16);
  const Array array{.dims = {2}, .values = {0.1F, 1.0F}};

  graph.weight(array);
  graph.table(array);
  const OnnxGraph made = std::move(graph).finish("g");

  EXPECT_THAT(made.tensors,
              ElementsAre(Field(&OnnxTensor::type, OnnxType::f16),
                          Field(&OnnxTensor::type, OnnxType::f32)));
  EXPECT_THAT(made.nodes, ElementsAre(Field(&OnnxNode::op, "Cast")));
  EXPECT_EQ(made.tensors[0].bytes.size(), 4U);
}

TEST(GraphBuilderTest, BodiesHaveNamesOfTheirOwn) {
  GraphBuilder graph;
  const GraphValue start = graph.number(1);
  GraphBuilder body(WeightType::f32, "body.");
  const std::vector<GraphValue> states = body.begin_body(1);
  const std::vector<GraphValue> after = {body.multiply(states[0], body.number(3))};

  const std::vector<GraphValue> end = graph.repeat(4, {start}, std::move(body).finish_body(after));
  const OnnxGraph made = std::move(graph).finish("g");

  ASSERT_EQ(made.nodes.size(), 1U);
  EXPECT_EQ(made.nodes[0].op, "Loop");
  EXPECT_THAT(made.nodes[0].outputs, ElementsAre(end[0].name));
  ASSERT_EQ(made.nodes[0].body.size(), 1U);
  const OnnxGraph& inner = made.nodes[0].body[0];
  EXPECT_EQ(inner.inputs.size(), 3U);
  EXPECT_EQ(inner.outputs.size(), 2U);
  for (const OnnxTensor& tensor : inner.tensors) {
    EXPECT_TRUE(tensor.name.starts_with("body.")) << tensor.name;
  }
}

TEST(TransposedTest, SwapsRowsAndColumns) {
  const Array turned = transposed({.dims = {2, 3}, .values = {1, 2, 3, 4, 5, 6}});

  EXPECT_THAT(turned.dims, ElementsAre(3, 2));
  EXPECT_THAT(turned.values, ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace qanat
