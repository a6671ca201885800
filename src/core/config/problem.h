// What is wrong with a configuration: every fault found, each with its place and its remedy.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/message.h"
#include "locale/translator.h"

namespace qanat {

struct Problem {
  std::string where;  // "config.yaml:12:3", "--batch-size", "--set"; empty when it has no place
  std::string key;    // "data.batch_size"; empty when it concerns the whole file
  MessageArg what;    // "what: value; expected ...; try ..."
  std::string other_key = "";  // of a conflict: the second field

  bool operator==(const Problem&) const = default;
};

// "config.yaml:12:3: data.batch_size: not a whole number: many; expected ..."
std::string to_string(const Problem& problem, const Translator& words = Translator());

// Carries all of them; what() has one line each, in English.
class ConfigError : public Error {
 public:
  explicit ConfigError(std::vector<Problem> problems);

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// `text` fit for a message: at most 60 bytes, nothing unprintable.
std::string shown(std::string text);

}  // namespace qanat
