#include "config/yaml_document.h"

#include <algorithm>
#include <exception>
#include <istream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/configuration.h"

namespace qanat {
namespace {

// Ends parsing at once.
struct YamlRefused : MessageError {
  YamlRefused(Message what, YamlPlace at) : MessageError(std::move(what)), place(at) {}

  YamlPlace place;
};

// Builds a YamlNode from the events of yaml-cpp's parser and enforces our bounds on the way.
// Fixture, used by one parse. Method names are those of the interface.
class YamlBuilder : public YAML::EventHandler {
 public:
  explicit YamlBuilder(std::string name) : name_(std::move(name)) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override { close(); }

  const YamlNode& top() const { return top_; }
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  // A collection whose end has not come.
  struct Open {
    YamlNode node;
    std::optional<YamlEntry> pending;  // of a map: the key whose value comes next
  };

  void open(YamlNode node);
  void close();
  void add(YamlNode node);
  void count(YamlPlace place);
  void take_key(Open& map, const YamlNode& node);

  std::string name_;
  std::vector<Open> open_;
  YamlNode top_;
  std::vector<Problem> problems_;
  int nodes_ = 0;
  int documents_ = 0;
};

constexpr int kMaxNodes = 10'000;
constexpr std::size_t kMaxLevels = 8;

YamlPlace place_of(const YAML::Mark& mark) {
  return {.line = mark.line + 1, .column = mark.column + 1};
}

YamlNode node_of(YamlNode::Kind kind, const YAML::Mark& mark) {
  return {.kind = kind, .place = place_of(mark), .scalar = {}, .entries = {}};
}

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
  if (open_.size() >= kMaxLevels) {
    throw YamlRefused(msg::yaml_too_deep{.levels = kMaxLevels}, node.place);
  }
  open_.push_back({.node = std::move(node), .pending = std::nullopt});
}

void YamlBuilder::close() {
  YamlNode done = std::move(open_.back().node);
  open_.pop_back();
  add(std::move(done));
}

void YamlBuilder::count(YamlPlace place) {
  if (++nodes_ > kMaxNodes) {
    throw YamlRefused(msg::yaml_too_much{.count = kMaxNodes}, place);
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

YamlPlace place_at(std::string_view text, std::size_t offset) {
  YamlPlace place;
  for (const char c : text.substr(0, offset)) {
    place.column = c == '\n' ? 1 : place.column + 1;
    place.line += c == '\n' ? 1 : 0;
  }
  return place;
}

// Problems to report before the parser runs: its own messages would be worse, or missing.
std::vector<Problem> refusals(std::string_view text, const std::string& name) {
  if (text.size() > kMaxYamlBytes) {
    return {{.where = name,
             .key = "",
             .what = msg::yaml_too_large{.size = std::to_string(text.size()),
                                         .max = std::to_string(kMaxYamlBytes)}}};
  }
  if (first_invalid_utf8(text)) {
    return {{.where = name, .key = "", .what = msg::yaml_not_utf8{}}};
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return {{.where = place_text(name, place_at(text, zero)),
             .key = "",
             .what = msg::yaml_zero_byte{}}};
  }
  return {};
}

// Tabs may not indent in YAML, and editors do not show them.
std::vector<Problem> tab_problems(std::string_view text, const std::string& name) {
  constexpr std::size_t kEnough = 20;
  std::vector<Problem> problems;
  int line = 0;
  while (!text.empty() && problems.size() < kEnough) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), whole.size() + 1));
    ++line;
    const std::size_t first = whole.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || whole[first] == '#') {
      continue;
    }
    const std::size_t tab = whole.substr(0, first).find('\t');
    if (tab != std::string_view::npos) {
      const YamlPlace place{.line = line, .column = static_cast<int>(tab) + 1};
      problems.push_back({.where = place_text(name, place), .key = "", .what = msg::yaml_tab{}});
    }
  }
  return problems;
}

// yaml-cpp has no exact place for what is still open when the text ends.
YamlPlace place_of(const YAML::Exception& error, std::string_view text) {
  if (error.mark.is_null() || error.mark.pos >= static_cast<int>(text.size())) {
    return place_at(text, text.size());
  }
  return {.line = error.mark.line + 1, .column = error.mark.column + 1};
}

Message reason(const YAML::Exception& error) {
  return error.msg == "illegal EOF in scalar" ? Message(msg::yaml_open_quote{})
                                              : Message(msg::yaml_syntax{.reason = error.msg});
}

// A quote still open at the end is an error to yaml-cpp only if no line break comes last.
std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

void parse_into(YamlBuilder& builder, std::string_view text) {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  while (parser.HandleNextDocument(builder)) {
  }
}

Problem not_a_map(const YamlNode& top, const std::string& name) {
  if (top.kind == YamlNode::Kind::null) {
    return {.where = name, .key = "", .what = msg::yaml_empty{}};
  }
  return {.where = place_text(name, top.place), .key = "", .what = msg::yaml_no_sections{}};
}

}  // namespace

std::string place_text(const std::string& name, YamlPlace place) {
  return fmt::format("{}:{}:{}", name, place.line, place.column);
}

YamlDocument parse_yaml(std::string_view file, const std::string& name) {
  const std::string_view text = without_trailing_blanks(file);
  YamlDocument document;
  document.problems = refusals(file, name);
  if (document.problems.empty()) {
    document.problems = tab_problems(text, name);
  }
  if (!document.problems.empty()) {
    return document;
  }
  YamlBuilder builder(name);
  const auto refuse = [&](YamlPlace place, const Message& what) {
    document.problems.push_back({.where = place_text(name, place), .key = "", .what = what});
  };
  try {
    parse_into(builder, text);
  } catch (const YamlRefused& refused) {
    refuse(refused.place, refused.message());
    return document;
  } catch (const YAML::Exception& error) {
    refuse(place_of(error, text), reason(error));
    return document;
  }
  document.top = builder.top();
  document.problems = builder.problems();
  if (document.top.kind != YamlNode::Kind::map) {
    document.problems.push_back(not_a_map(document.top, name));
  }
  return document;
}

}  // namespace qanat
