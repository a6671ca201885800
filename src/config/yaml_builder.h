// Builds a YamlNode from the events of yaml-cpp's parser and enforces our bounds on the way.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include "config/yaml_document.h"
#include "locale/message_error.h"

namespace qanat {

// Ends parsing at once.
struct YamlRefused : MessageError {
  YamlRefused(Message what, YamlPlace at) : MessageError(std::move(what)), place(at) {}

  YamlPlace place;
};

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

}  // namespace qanat
