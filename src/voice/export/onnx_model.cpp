#include "export/onnx_model.h"

namespace qanat {
namespace {

constexpr std::int64_t kIrVersion = 8;  // the first with opset 17

enum class AttributeKind { real = 1, whole = 2, graph = 5, wholes = 7 };

ProtoWriter to_proto(OnnxGraph graph);

ProtoWriter to_proto(OnnxTensor tensor) {
  ProtoWriter out;
  for (const std::int64_t dim : tensor.dims) {
    out.number(1, dim);
  }
  out.number(2, static_cast<std::int64_t>(tensor.type));
  out.text(8, tensor.name);
  out.block(9, std::move(tensor.bytes));
  return out;
}

ProtoWriter begin_attribute(const std::string& name, AttributeKind kind) {
  ProtoWriter out;
  out.text(1, name);
  out.number(20, static_cast<std::int64_t>(kind));
  return out;
}

ProtoWriter to_proto(const OnnxAttribute& attribute) {
  if (const auto* whole = std::get_if<std::int64_t>(&attribute.value)) {
    ProtoWriter out = begin_attribute(attribute.name, AttributeKind::whole);
    out.number(3, *whole);
    return out;
  }
  if (const auto* real = std::get_if<float>(&attribute.value)) {
    ProtoWriter out = begin_attribute(attribute.name, AttributeKind::real);
    out.real(2, *real);
    return out;
  }
  ProtoWriter out = begin_attribute(attribute.name, AttributeKind::wholes);
  for (const std::int64_t one : std::get<std::vector<std::int64_t>>(attribute.value)) {
    out.number(8, one);
  }
  return out;
}

ProtoWriter to_proto(OnnxNode node) {
  ProtoWriter out;
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
    ProtoWriter attribute = begin_attribute("body", AttributeKind::graph);
    attribute.message(6, to_proto(std::move(body)));
    out.message(5, std::move(attribute));
  }
  return out;
}

ProtoWriter to_proto(const OnnxValueType& value) {
  ProtoWriter shape;
  for (const auto& dim : value.dims) {
    ProtoWriter one;
    if (const auto* size = std::get_if<std::int64_t>(&dim)) {
      one.number(1, *size);
    } else {
      one.text(2, std::get<std::string>(dim));
    }
    shape.message(1, std::move(one));
  }
  ProtoWriter tensor;
  tensor.number(1, static_cast<std::int64_t>(value.type));
  if (value.has_shape) {
    tensor.message(2, std::move(shape));
  }
  ProtoWriter type;
  type.message(1, std::move(tensor));
  ProtoWriter out;
  out.text(1, value.name);
  out.message(2, std::move(type));
  return out;
}

ProtoWriter to_proto(OnnxGraph graph) {
  ProtoWriter out;
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

ProtoWriter to_onnx(OnnxModel model) {
  ProtoWriter opset;
  opset.text(1, "");
  opset.number(2, kOnnxOpset);
  ProtoWriter out;
  out.number(1, kIrVersion);
  out.text(2, "qanat");
  out.text(3, model.producer_version);
  out.message(7, to_proto(std::move(model.graph)));
  out.message(8, std::move(opset));
  for (const auto& [key, value] : model.metadata) {
    ProtoWriter entry;
    entry.text(1, key);
    entry.text(2, value);
    out.message(14, std::move(entry));
  }
  return out;
}

}  // namespace qanat
