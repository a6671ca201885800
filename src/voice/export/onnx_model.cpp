#include "export/onnx_model.h"

namespace qanat {
namespace {

constexpr std::int64_t kIrVersion = 8;  // the first with opset 17

enum class AttributeKind { real = 1, whole = 2, graph = 5, wholes = 7 };

ProtoMessage to_proto(OnnxGraph graph);

ProtoMessage to_proto(OnnxTensor tensor) {
  ProtoMessage out;
  for (const std::int64_t dim : tensor.dims) {
    out.number(1, dim);
  }
  out.number(2, static_cast<std::int64_t>(tensor.type));
  out.text(8, tensor.name);
  out.block(9, std::move(tensor.bytes));
  return out;
}

ProtoMessage begin_attribute(const std::string& name, AttributeKind kind) {
  ProtoMessage out;
  out.text(1, name);
  out.number(20, static_cast<std::int64_t>(kind));
  return out;
}

ProtoMessage to_proto(const OnnxAttribute& attribute) {
  if (const auto* whole = std::get_if<std::int64_t>(&attribute.value)) {
    ProtoMessage out = begin_attribute(attribute.name, AttributeKind::whole);
    out.number(3, *whole);
    return out;
  }
  if (const auto* real = std::get_if<float>(&attribute.value)) {
    ProtoMessage out = begin_attribute(attribute.name, AttributeKind::real);
    out.real(2, *real);
    return out;
  }
  ProtoMessage out = begin_attribute(attribute.name, AttributeKind::wholes);
  for (const std::int64_t one : std::get<std::vector<std::int64_t>>(attribute.value)) {
    out.number(8, one);
  }
  return out;
}

ProtoMessage to_proto(OnnxNode node) {
  ProtoMessage out;
  for (const std::string& input : node.inputs) {
    out.text(1, input);
  }
  for (const std::string& output : node.outputs) {
    out.text(2, output);
  }
  out.text(3, node.outputs.front());
  out.text(4, node.op);
  for (const OnnxAttribute& attribute : node.attributes) {
    out.message(5, to_proto(attribute));
  }
  for (OnnxGraph& body : node.body) {
    ProtoMessage attribute = begin_attribute("body", AttributeKind::graph);
    attribute.message(6, to_proto(std::move(body)));
    out.message(5, std::move(attribute));
  }
  return out;
}

ProtoMessage to_proto(const OnnxValueType& value) {
  ProtoMessage shape;
  for (const auto& dim : value.dims) {
    ProtoMessage one;
    if (const auto* size = std::get_if<std::int64_t>(&dim)) {
      one.number(1, *size);
    } else {
      one.text(2, std::get<std::string>(dim));
    }
    shape.message(1, std::move(one));
  }
  ProtoMessage tensor;
  tensor.number(1, static_cast<std::int64_t>(value.type));
  if (value.has_shape) {
    tensor.message(2, std::move(shape));
  }
  ProtoMessage type;
  type.message(1, std::move(tensor));
  ProtoMessage out;
  out.text(1, value.name);
  out.message(2, std::move(type));
  return out;
}

ProtoMessage to_proto(OnnxGraph graph) {
  ProtoMessage out;
  for (OnnxNode& node : graph.nodes) {
    out.message(1, to_proto(std::move(node)));
  }
  out.text(2, graph.name);
  for (OnnxTensor& tensor : graph.tensors) {
    out.message(5, to_proto(std::move(tensor)));
  }
  for (const OnnxValueType& input : graph.inputs) {
    out.message(11, to_proto(input));
  }
  for (const OnnxValueType& output : graph.outputs) {
    out.message(12, to_proto(output));
  }
  return out;
}

}  // namespace

ProtoMessage to_onnx(OnnxModel model) {
  ProtoMessage opset;
  opset.text(1, "");
  opset.number(2, kOnnxOpset);
  ProtoMessage out;
  out.number(1, kIrVersion);
  out.text(2, "qanat");
  out.text(3, model.producer_version);
  out.message(7, to_proto(std::move(model.graph)));
  out.message(8, std::move(opset));
  for (const auto& [key, value] : model.metadata) {
    ProtoMessage entry;
    entry.text(1, key);
    entry.text(2, value);
    out.message(14, std::move(entry));
  }
  return out;
}

}  // namespace qanat
