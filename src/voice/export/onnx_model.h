// A network as ONNX describes it, and its bytes. Only what the networks here need of the format:
// see docs/decisions/0017-an-onnx-writer-of-our-own.md. Values; no libtorch.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "export/proto_message.h"

namespace qanat {

inline constexpr std::int64_t kOnnxOpset = 17;

enum class OnnxType { f32 = 1, i64 = 7, boolean = 9, f16 = 10 };  // the numbers of the format

struct OnnxTensor {
  std::string name;
  OnnxType type = OnnxType::f32;
  std::vector<std::int64_t> dims;  // none: a scalar
  std::string bytes;               // little-endian, row by row
};

struct OnnxAttribute {
  std::string name;
  std::variant<std::int64_t, float, std::vector<std::int64_t>> value;
};

struct OnnxGraph;

struct OnnxNode {
  std::string op;
  std::vector<std::string> inputs;  // "": left out
  std::vector<std::string> outputs;
  std::vector<OnnxAttribute> attributes{};
  std::vector<OnnxGraph> body{};  // of a Loop: one
};

// What goes in or comes out. A dimension is a number, or the name of one that varies.
struct OnnxValueType {
  std::string name;
  OnnxType type = OnnxType::f32;
  std::vector<std::variant<std::int64_t, std::string>> dims;
  bool has_shape = true;  // of the body of a Loop it may be left open
};

struct OnnxGraph {
  std::string name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> tensors;
  std::vector<OnnxValueType> inputs;
  std::vector<OnnxValueType> outputs;
};

struct OnnxModel {
  OnnxGraph graph;
  std::string producer_version;
  std::vector<std::pair<std::string, std::string>> metadata;
};

// The tensors are moved into it.
ProtoMessage to_onnx(OnnxModel model);

}  // namespace qanat
