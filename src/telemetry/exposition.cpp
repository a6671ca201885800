#include "telemetry/exposition.h"

#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace qanat {
namespace {

std::string escape_label(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '\\' || c == '"') {
      escaped += '\\';
      escaped += c;
    } else if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string exposition_number(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  return fmt::format("{}", value);
}

void Exposition::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = fmt::format("qanat_{}", name);
  head_ = fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help, type);
}

void Exposition::sample(std::optional<double> value, Labels labels, std::string_view suffix) {
  if (!value) {
    return;
  }
  text_ += std::exchange(head_, {}) + name_;
  text_ += suffix;
  if (labels.size() > 0) {
    char before = '{';
    for (const auto& [label, of] : labels) {
      fmt::format_to(std::back_inserter(text_), "{}{}=\"{}\"", before, label, escape_label(of));
      before = ',';
    }
    text_ += '}';
  }
  fmt::format_to(std::back_inserter(text_), " {}\n", exposition_number(*value));
}

void Exposition::counter(std::string_view name,
                         std::string_view help,
                         std::optional<double> value) {
  family(name, "counter", help);
  sample(value);
}

void Exposition::gauge(std::string_view name, std::string_view help, std::optional<double> value) {
  family(name, "gauge", help);
  sample(value);
}

}  // namespace qanat
