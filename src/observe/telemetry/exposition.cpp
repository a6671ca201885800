#include "telemetry/exposition.h"

#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace qanat {
namespace {

// C0, C1 and line separators: the format allows them, but they act where the page is printed.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029;
}

// As the format wants text: backslashes and newlines escaped, quotes where it stands in some. Other
// control characters are dropped; bytes that are not UTF-8 become U+FFFD.
enum class Quotes { plain, escaped };
std::string exposition_text(std::string_view text, Quotes quotes) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code_point(text, at);
    if (code == U'\n') {
      escaped += "\\n";
    } else if (!is_control(code)) {
      escaped += code == U'\\' || (code == U'"' && quotes == Quotes::escaped) ? "\\" : "";
      append_utf8(escaped, code);
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
  head_ = fmt::format(
      "# HELP {0} {1}\n# TYPE {0} {2}\n", name_, exposition_text(help, Quotes::plain), type);
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
      fmt::format_to(std::back_inserter(text_),
                     "{}{}=\"{}\"",
                     before,
                     label,
                     exposition_text(of, Quotes::escaped));
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
