#include "config/yaml_builder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

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
    throw YamlRefused("a second document begins; expected one", place_of(mark));
  }
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t) {
  count(place_of(mark));
  add(node_of(YamlNode::Kind::null, mark));
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  throw YamlRefused("an alias (*name); expected the value itself", place_of(mark));
}

void YamlBuilder::OnScalar(const YAML::Mark& mark,
                           const std::string& tag,
                           YAML::anchor_t,
                           const std::string& value) {
  // yaml-cpp marks a scalar without a tag "?", one in quotes "!".
  if (!tag.empty() && tag != "?" && tag != "!") {
    throw YamlRefused("a tag (!name); expected a plain value", place_of(mark));
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
    throw YamlRefused(fmt::format("nested too deep; expected at most {} levels", kMostLevels),
                      node.place);
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
    throw YamlRefused(fmt::format("too much in it; expected at most {} values", kMostNodes), place);
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
    throw YamlRefused("a key that is not a word; expected `key: value`", node.place);
  }
  const std::string& key = node.scalar.text;
  const auto same = std::ranges::find(map.node.entries, key, &YamlEntry::key);
  if (same != map.node.entries.end()) {
    problems_.push_back(
        {.where = place_text(name_, node.place),
         .key = shown(key),
         .what = fmt::format("given twice; the first is in line {}; keep one", same->place.line)});
  }
  map.pending = YamlEntry{.key = key, .place = node.place, .value = {}};
}

}  // namespace qanat
