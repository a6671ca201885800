#include "export/graph_builder.h"

#include <cmath>
#include <limits>

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

// Sums that IEEE 754 gives for half precision.
struct HalfCase {
  float value;
  std::uint16_t half;
};

class HalfTest : public testing::TestWithParam<HalfCase> {};

TEST_P(HalfTest, IsTheNearestOfSixteenBits) {
  EXPECT_EQ(to_half(GetParam().value), GetParam().half);
}

INSTANTIATE_TEST_SUITE_P(
    Values,
    HalfTest,
    testing::Values(HalfCase{0.0F, 0x0000},
                    HalfCase{-0.0F, 0x8000},
                    HalfCase{1.0F, 0x3C00},
                    HalfCase{-2.0F, 0xC000},
                    HalfCase{0.1F, 0x2E66},
                    HalfCase{65504.0F, 0x7BFF},
                    HalfCase{65519.0F, 0x7BFF},
                    HalfCase{65520.0F, 0x7C00},
                    HalfCase{1e9F, 0x7C00},
                    HalfCase{-std::numeric_limits<float>::infinity(), 0xFC00},
                    HalfCase{0x1p-14F, 0x0400},
                    HalfCase{0x1p-24F, 0x0001},
                    HalfCase{0x1p-25F, 0x0000},           // a tie goes to the even one
                    HalfCase{0x1.8p-24F, 0x0002},         // here upwards
                    HalfCase{1.0F + 0x1p-11F, 0x3C00},    // a tie
                    HalfCase{1.0F + 0x1.8p-10F, 0x3C02},  // a tie
                    HalfCase{0x1.FFEp-15F, 0x0400}));     // rounds up to the smallest normal one

TEST(HalfTest, EveryHalfComesBack) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (const float value = from_half(half); !std::isnan(value)) {
      ASSERT_EQ(to_half(value), half);
    }
  }
}

TEST(TransposedTest, SwapsRowsAndColumns) {
  const Array turned = transposed({.dims = {2, 3}, .values = {1, 2, 3, 4, 5, 6}});

  EXPECT_THAT(turned.dims, ElementsAre(3, 2));
  EXPECT_THAT(turned.values, ElementsAre(1, 4, 2, 5, 3, 6));
}

}  // namespace
}  // namespace qanat
