// Writes down a network operation by operation: every call adds a node and gives the name of what
// comes out. For the graphs of this folder; no libtorch.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/onnx_model.h"

namespace qanat {

// Values row by row.
struct Array {
  std::vector<std::int64_t> dims;
  std::vector<float> values;
};
using ArrayMap = std::map<std::string, Array>;

// [rows, columns] to [columns, rows].
Array transposed(const Array& matrix);

enum class WeightType { f32, f16 };

// The name of something computed or stored.
struct GraphValue {
  std::string name;
};

using Dims = std::vector<std::int64_t>;

class GraphBuilder {
 public:
  // Names begin with `prefix`: those of a body differ from those around it, which it may use.
  explicit GraphBuilder(WeightType weights = WeightType::f32, std::string prefix = "");

  GraphValue input(const std::string& name,
                   OnnxType type,
                   const Dims& dims,
                   std::string varying = "");
  void output(const std::string& name,
              const GraphValue& value,
              OnnxType type,
              OnnxValueType shape = {});

  GraphValue op(std::string_view type,
                const std::vector<GraphValue>& inputs,
                std::vector<OnnxAttribute> attributes = {});

  // Stored numbers. A weight is rounded where sixteen bits were asked for; a table is not.
  GraphValue weight(const Array& array);
  GraphValue table(const Array& array);
  GraphValue wholes(const std::vector<std::int64_t>& values);  // [n]
  GraphValue wholes(const std::vector<std::int64_t>& values, const Dims& dims);
  GraphValue whole(std::int64_t value);                // scalar
  GraphValue number(float value);                      // scalar
  GraphValue truths(const std::vector<bool>& values);  // [n]

  GraphValue add(const GraphValue& a, const GraphValue& b) { return op("Add", {a, b}); }
  GraphValue subtract(const GraphValue& a, const GraphValue& b) { return op("Sub", {a, b}); }
  GraphValue multiply(const GraphValue& a, const GraphValue& b) { return op("Mul", {a, b}); }
  GraphValue divide(const GraphValue& a, const GraphValue& b) { return op("Div", {a, b}); }
  GraphValue product(const GraphValue& a, const GraphValue& b) { return op("MatMul", {a, b}); }
  GraphValue silu(const GraphValue& x) { return multiply(x, op("Sigmoid", {x})); }
  GraphValue cast(const GraphValue& x, OnnxType type);
  GraphValue reshape(const GraphValue& x, const Dims& dims);  // 0: as it is, -1: the rest
  GraphValue transpose(const GraphValue& x, const Dims& order);
  GraphValue join(const std::vector<GraphValue>& parts, std::int64_t axis);
  GraphValue gather(const GraphValue& x, const GraphValue& index, std::int64_t axis);
  // From `begin` to before `end`, negative ones from the end on.
  GraphValue slice(const GraphValue& x, std::int64_t begin, std::int64_t end, std::int64_t axis);
  GraphValue slice(const GraphValue& x,
                   const GraphValue& begin,
                   const GraphValue& end,
                   std::int64_t axis);
  // A dimension as [1].
  GraphValue length(const GraphValue& x, std::int64_t axis);
  GraphValue sum(const GraphValue& x, std::int64_t axis);  // which stays, with length 1

  // Runs `body` `times` times: a graph that another builder began with begin_body(), which gives
  // the states as they come in, and ended with finish_body(). The states behind it, f32 all.
  std::vector<GraphValue> repeat(std::int64_t times,
                                 const std::vector<GraphValue>& states,
                                 OnnxGraph body);
  std::vector<GraphValue> begin_body(std::size_t states);
  OnnxGraph finish_body(const std::vector<GraphValue>& states) &&;

  OnnxGraph finish(std::string name) &&;

 private:
  GraphValue next();
  GraphValue store(OnnxType type, const Dims& dims, std::string bytes);

  WeightType weights_;
  std::string prefix_;
  std::int64_t count_ = 0;
  OnnxGraph graph_;
  std::map<std::string, std::string> stored_;  // small ones by their bytes: each is stored once
};

inline constexpr std::int64_t kToTheEnd = INT64_MAX;

}  // namespace qanat
