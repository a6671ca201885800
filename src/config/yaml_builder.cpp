#include "config/yaml_builder.h"

#include <algorithm>
#include <utility>

#include "locale/messages.h"

namespace qanat {
namespace {

constexpr int kMostNodes = 10'000;
constexpr std::size_t kMostLevels = 8;

YamlPlace place_of(const YAML::Mark& mark) {
  return {.line = mark.line + 1, .column = mark.column + 1};
}

YamlNode node_of(YamlNode::Kind kind, const YAML::Mark& mark) {
  return {.kind = kind, .place = place_of(mark), .scalar = {}, .entries = {}};
}

}  // namespace

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ > 1) {
    throw YamlRefused(msg::yaml_second_document{}, place_of(mark));
  }
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t) {
  count(place_of(mark));
  add(node_of(YamlNode::Kind::null, mark));
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  throw YamlRefused(msg::yaml_alias{}, place_of(mark));
}

void YamlBuilder::OnScalar(const YAML::Mark& mark,
                           const std::string& tag,
                           YAML::anchor_t,
                           const std::string& value) {
  // yaml-cpp marks a scalar without a tag "?", one in quotes "!".
  if (!tag.empty() && tag != "?" && tag != "!") {
    throw YamlRefused(msg::yaml_tag{}, place_of(mark));
  }
  count(place_of(mark));
  YamlNode node = node_of(YamlNode::Kind::scalar, mark);
  node.scalar = {.text = value, .quoted = tag == "!"};
  add(std::move(node));
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark,
                                  const std::string&,
                                  YAML::anchor_t,
                                  YAML::EmitterStyle::value) {
  open(node_of(YamlNode::Kind::sequence, mark));
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark,
                             const std::string&,
                             YAML::anchor_t,
                             YAML::EmitterStyle::value) {
  open(node_of(YamlNode::Kind::map, mark));
}

void YamlBuilder::open(YamlNode node) {
  count(node.place);
  if (open_.size() >= kMostLevels) {
    throw YamlRefused(msg::yaml_too_deep{.levels = kMostLevels}, node.place);
  }
  open_.push_back({.node = std::move(node), .pending = std::nullopt});
}

void YamlBuilder::close() {
  YamlNode done = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(done));
}

void YamlBuilder::count(YamlPlace place) {
  if (++nodes_ > kMostNodes) {
    throw YamlRefused(msg::yaml_too_much{.count = kMostNodes}, place);
  }
}

void YamlBuilder::add(YamlNode node) {
  if (open_.empty()) {
    top_ = std::move(node);
    return;
  }
  Open& parent = open_.back();
  if (parent.node.kind != YamlNode::Kind::map) {
    return;
  }
  if (!parent.pending) {
    take_key(parent, node);
    return;
  }
  parent.pending->value = std::move(node);
  parent.node.entries.push_back(*std::exchange(parent.pending, std::nullopt));
}

void YamlBuilder::take_key(Open& map, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::scalar) {
    throw YamlRefused(msg::yaml_key{}, node.place);
  }
  const std::string& key = node.scalar.text;
  const auto same = std::ranges::find(map.node.entries, key, &YamlEntry::key);
  if (same != map.node.entries.end()) {
    problems_.push_back({.where = place_text(name_, node.place),
                         .key = shown(key),
                         .what = msg::yaml_twice{.line = std::to_string(same->place.line)}});
  }
  map.pending = YamlEntry{.key = key, .place = node.place, .value = {}};
}

}  // namespace qanat
