// A YAML file as the values it holds and their places: mappings of scalars, nothing cleverer.
//
// Bounded on purpose, since the file is outside input: at most 1 MB, 10,000 nodes, 8 levels; no
// aliases, no tags, one document. Thread-safe: a pure function of its input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/problem.h"
#include "config/scalar.h"

namespace qanat {

struct YamlPlace {
  int line = 1;
  int column = 1;
};

struct YamlEntry;

struct YamlNode {
  enum class Kind { null, scalar, sequence, map };

  Kind kind = Kind::null;
  YamlPlace place;
  Scalar scalar;                   // of a scalar
  std::vector<YamlEntry> entries;  // of a map; the items of a sequence are not kept
};

struct YamlEntry {
  std::string key;
  YamlPlace place;
  YamlNode value;
};

struct YamlDocument {
  YamlNode top;                   // a map when there are no problems
  std::vector<Problem> problems;  // `where` begins with the name that was given
};

inline constexpr std::size_t kMaxYamlBytes = 1'000'000;

YamlDocument parse_yaml(std::string_view file, const std::string& name);

// "config.yaml:12:3"
std::string place_text(const std::string& name, YamlPlace place);

}  // namespace qanat
