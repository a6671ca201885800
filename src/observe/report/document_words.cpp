#include "report/document_words.h"

#include "base/utf8.h"
#include "locale/messages/units.h"

namespace qanat {
namespace {

bool takes_no_column(char32_t c) {
  const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
  return within(0x0300, 0x036F) || within(0x064B, 0x065F) || c == 0x0670 ||  // on letters
         within(0x200B, 0x200F) || within(0x202A, 0x202E) || within(0x2066, 0x2069);
}

std::string value_words(const Value& value, const Translator& t, const std::string& unknown) {
  return value.shown ? t.said(*value.shown) : unknown;
}

std::string joined_parts(const std::vector<Fact>& parts, const Translator& t) {
  std::string text;
  for (const Fact& part : parts) {
    if (part.name || part.value.shown) {
      text += text.empty() ? "" : std::string(t.comma());
      text += part.name ? t.said(*part.name) + ' ' : std::string();
      text += fact_words(part, t);
    }
  }
  return text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    width += takes_no_column(next_code_point(text, at)) ? 0 : 1;
  }
  return width;
}

std::string fact_words(const Fact& fact, const Translator& t) {
  if (!fact.parts.empty()) {
    return joined_parts(fact.parts, t);
  }
  return value_words(fact.value, t, t.tr(msg::number_unknown{}));
}

std::string cell_words(const Value& value, const Translator& t) {
  return value_words(value, t, "-");
}

std::vector<std::string> english_lines(const Section& section) {
  const Translator english;
  std::vector<std::string> lines;
  for (const Fact& fact : section.facts) {
    if (fact.name) {
      lines.push_back(english.said(*fact.name) + ": " + fact_words(fact, english));
    }
  }
  for (const MessageArg& remark : section.remarks) {
    lines.push_back(english.said(remark));
  }
  return lines;
}

}  // namespace qanat
