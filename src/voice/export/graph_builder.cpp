#include "export/graph_builder.h"

#include <bit>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "features/half.h"

namespace qanat {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie");

constexpr std::size_t kSmallTensor = 64;  // bytes; larger ones differ anyway

template <typename T>
std::string bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::int64_t count_of(const Dims& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) {
    count *= dim;
  }
  return count;
}

}  // namespace

Array transposed(const Array& matrix) {
  QANAT_CHECK(matrix.dims.size() == 2) << matrix.dims.size();
  const auto rows = static_cast<std::size_t>(matrix.dims[0]);
  const auto columns = static_cast<std::size_t>(matrix.dims[1]);
  Array result{.dims = {matrix.dims[1], matrix.dims[0]},
               .values = std::vector<float>(matrix.values.size())};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      result.values[column * rows + row] = matrix.values[row * columns + column];
    }
  }
  return result;
}

GraphBuilder::GraphBuilder(WeightType weights, std::string prefix)
    : weights_(weights), prefix_(std::move(prefix)) {}

GraphValue GraphBuilder::next() {
  return {fmt::format("{}{}", prefix_, count_++)};
}

GraphValue GraphBuilder::store(OnnxType type, const Dims& dims, std::string bytes) {
  const bool is_small = bytes.size() <= kSmallTensor;
  const std::string key =
      is_small ? fmt::format("{} {} ", static_cast<int>(type), fmt::join(dims, ",")) + bytes : "";
  if (const auto known = stored_.find(key); is_small && known != stored_.end()) {
    return {known->second};
  }
  GraphValue value = next();
  graph_.tensors.push_back(
      {.name = value.name, .type = type, .dims = dims, .bytes = std::move(bytes)});
  if (is_small) {
    stored_.emplace(key, value.name);
  }
  return value;
}

GraphValue GraphBuilder::input(const std::string& name,
                               OnnxType type,
                               const Dims& dims,
                               std::string varying) {
  OnnxValueType value{.name = name, .type = type, .dims = {}};
  for (const std::int64_t dim : dims) {
    if (dim < 0) {
      value.dims.emplace_back(varying);
    } else {
      value.dims.emplace_back(dim);
    }
  }
  graph_.inputs.push_back(std::move(value));
  return {name};
}

void GraphBuilder::output(const std::string& name,
                          const GraphValue& value,
                          OnnxType type,
                          OnnxValueType shape) {
  graph_.nodes.push_back({.op = "Identity", .inputs = {value.name}, .outputs = {name}});
  shape.name = name;
  shape.type = type;
  graph_.outputs.push_back(std::move(shape));
}

GraphValue GraphBuilder::op(std::string_view type,
                            const std::vector<GraphValue>& inputs,
                            std::vector<OnnxAttribute> attributes) {
  GraphValue value = next();
  OnnxNode node{.op = std::string(type),
                .inputs = {},
                .outputs = {value.name},
                .attributes = std::move(attributes)};
  for (const GraphValue& input : inputs) {
    node.inputs.push_back(input.name);
  }
  graph_.nodes.push_back(std::move(node));
  return value;
}

GraphValue GraphBuilder::table(const Array& array) {
  QANAT_CHECK(count_of(array.dims) == std::ssize(array.values)) << array.values.size();
  return store(OnnxType::f32, array.dims, bytes_of<float>(array.values));
}

GraphValue GraphBuilder::weight(const Array& array) {
  if (weights_ == WeightType::f32) {
    return table(array);
  }
  QANAT_CHECK(count_of(array.dims) == std::ssize(array.values)) << array.values.size();
  std::vector<std::uint16_t> halves(array.values.size());
  to_half(array.values, halves);
  // A runtime widens it once, when it loads the file.
  return cast(store(OnnxType::f16, array.dims, bytes_of<std::uint16_t>(halves)), OnnxType::f32);
}

GraphValue GraphBuilder::wholes(const std::vector<std::int64_t>& values) {
  return wholes(values, {std::ssize(values)});
}

GraphValue GraphBuilder::wholes(const std::vector<std::int64_t>& values, const Dims& dims) {
  return store(OnnxType::i64, dims, bytes_of<std::int64_t>(values));
}

GraphValue GraphBuilder::whole(std::int64_t value) {
  return wholes({value}, {});
}

GraphValue GraphBuilder::number(float value) {
  return store(OnnxType::f32, {}, bytes_of<float>(std::span(&value, 1)));
}

GraphValue GraphBuilder::truths(const std::vector<bool>& values) {
  std::string bytes;
  for (const bool value : values) {
    bytes += static_cast<char>(value ? 1 : 0);
  }
  return store(OnnxType::boolean, {std::ssize(values)}, std::move(bytes));
}

GraphValue GraphBuilder::cast(const GraphValue& x, OnnxType type) {
  return op("Cast", {x}, {{"to", static_cast<std::int64_t>(type)}});
}

GraphValue GraphBuilder::reshape(const GraphValue& x, const Dims& dims) {
  return op("Reshape", {x, wholes(dims)});
}

GraphValue GraphBuilder::transpose(const GraphValue& x, const Dims& order) {
  return op("Transpose", {x}, {{"perm", order}});
}

GraphValue GraphBuilder::join(const std::vector<GraphValue>& parts, std::int64_t axis) {
  return op("Concat", parts, {{"axis", axis}});
}

GraphValue GraphBuilder::gather(const GraphValue& x, const GraphValue& index, std::int64_t axis) {
  return op("Gather", {x, index}, {{"axis", axis}});
}

GraphValue GraphBuilder::slice(const GraphValue& x,
                               std::int64_t begin,
                               std::int64_t end,
                               std::int64_t axis) {
  return slice(x, wholes({begin}), wholes({end}), axis);
}

GraphValue GraphBuilder::slice(const GraphValue& x,
                               const GraphValue& begin,
                               const GraphValue& end,
                               std::int64_t axis) {
  return op("Slice", {x, begin, end, wholes({axis})});
}

GraphValue GraphBuilder::length(const GraphValue& x, std::int64_t axis) {
  return op("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
}

GraphValue GraphBuilder::sum(const GraphValue& x, std::int64_t axis) {
  return op("ReduceSum", {x, wholes({axis})}, {{"keepdims", std::int64_t{1}}});
}

std::vector<GraphValue> GraphBuilder::repeat(std::int64_t times,
                                             const std::vector<GraphValue>& states,
                                             OnnxGraph body) {
  OnnxNode node{.op = "Loop", .inputs = {whole(times).name, ""}, .outputs = {}};
  std::vector<GraphValue> after;
  for (const GraphValue& state : states) {
    node.inputs.push_back(state.name);
    after.push_back(next());
    node.outputs.push_back(after.back().name);
  }
  node.body.push_back(std::move(body));
  graph_.nodes.push_back(std::move(node));
  return after;
}

OnnxGraph GraphBuilder::finish(std::string name) && {
  graph_.name = std::move(name);
  return std::move(graph_);
}

std::vector<GraphValue> GraphBuilder::begin_body(std::size_t states) {
  input(prefix_ + "turn", OnnxType::i64, {});
  input(prefix_ + "going", OnnxType::boolean, {});
  std::vector<GraphValue> values;
  for (std::size_t i = 0; i < states; ++i) {
    values.push_back({fmt::format("{}state{}", prefix_, i)});
    input(values.back().name, OnnxType::f32, {});
    graph_.inputs.back().has_shape = false;
  }
  return values;
}

OnnxGraph GraphBuilder::finish_body(const std::vector<GraphValue>& states) && {
  output(prefix_ + "goes_on", {prefix_ + "going"}, OnnxType::boolean);
  for (std::size_t i = 0; i < states.size(); ++i) {
    output(fmt::format("{}after{}", prefix_, i), states[i], OnnxType::f32);
    graph_.outputs.back().has_shape = false;
  }
  return std::move(*this).finish(prefix_ + "body");
}

}  // namespace qanat
