#include "report/persian.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include <fmt/args.h>
#include <fmt/format.h>

#include "locale/translator.h"

namespace qanat {
namespace {

constexpr std::string_view kPlaceholder = "{}";

// What stands in the gaps of `pattern` when `text` is one of its sentences.
std::optional<std::vector<std::string_view>> match(std::string_view pattern,
                                                   std::string_view text) {
  std::vector<std::string_view> gaps;
  const std::size_t first = pattern.find(kPlaceholder);
  if (first == std::string_view::npos) {
    return pattern == text ? std::optional(gaps) : std::nullopt;
  }
  if (!text.starts_with(pattern.substr(0, first))) {
    return std::nullopt;
  }
  text.remove_prefix(first);
  pattern.remove_prefix(first);
  while (!pattern.empty()) {
    pattern.remove_prefix(kPlaceholder.size());
    const std::string_view literal = pattern.substr(0, pattern.find(kPlaceholder));
    pattern.remove_prefix(literal.size());
    // The last words end the sentence, so that a gap may hold them too.
    const std::size_t at = literal.empty()   ? text.size()
                           : pattern.empty() ? text.rfind(literal)
                                             : text.find(literal);
    if (at == std::string_view::npos || at == 0) {
      return std::nullopt;
    }
    gaps.push_back(text.substr(0, at));
    text.remove_prefix(at + literal.size());
  }
  return text.empty() ? std::optional(gaps) : std::nullopt;
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::ranges::any_of(text, [](unsigned char c) { return std::isdigit(c); }) &&
         text.find_first_not_of("0123456789.,-+ ") == std::string_view::npos;
}

struct Found {
  const Translation* translation = nullptr;
  std::vector<std::string_view> gaps{};
};

// The most words in common win: "{} %" must not take what "{} workers, {} % busy, ..." is for.
std::optional<Found> find_sentence(std::string_view english) {
  std::optional<Found> best;
  std::size_t most = 0;
  for (const auto sentences : {persian_host_sentences(),
                               persian_page_sentences(),
                               persian_profile_sentences(),
                               persian_dataset_sentences(),
                               persian_validation_sentences()}) {
    for (const Translation& translation : sentences) {
      auto gaps = match(translation.english, english);
      const std::size_t words = translation.english.size() - (gaps ? 2 * gaps->size() : 0);
      if (gaps && (!best || words > most)) {
        most = words;
        best = Found{.translation = &translation, .gaps = std::move(*gaps)};
      }
    }
  }
  return best;
}

std::string isolated_text(std::string_view text) {
  return fmt::format("{}{}{}", kFirstStrongIsolate, text, kPopIsolate);
}

// "12.5 ms" and "3 %".
std::optional<std::string> as_quantity(std::string_view text) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos || !is_number(text.substr(0, space))) {
    return std::nullopt;
  }
  const std::string number = in_persian_digits(text.substr(0, space));
  std::string_view unit = text.substr(space + 1);
  if (unit == "%") {
    return number + "٪";
  }
  if (unit == "min") {
    unit = "min (word)";  // behind a number it is never the least
  }
  return has_persian(unit) ? std::optional(number + ' ' + to_persian(unit)) : std::nullopt;
}

std::string filled_gap(std::string_view gap) {
  if (is_number(gap)) {
    return in_persian_digits(gap);
  }
  const std::optional<std::string> quantity = as_quantity(gap);
  return quantity ? *quantity : to_persian(gap);
}

// For each gap of a translation, whether it stands inside isolates.
std::vector<bool> isolated_gaps(std::string_view persian) {
  std::vector<bool> gaps;
  bool inside = false;
  for (std::size_t at = 0; at < persian.size(); ++at) {
    const std::string_view rest = persian.substr(at);
    if (rest.starts_with(kFirstStrongIsolate)) {
      inside = true;
    } else if (rest.starts_with(kPopIsolate)) {
      inside = false;
    } else if (rest.starts_with(kPlaceholder)) {
      gaps.push_back(inside);
    }
  }
  return gaps;
}

std::string fill(const Found& found) {
  const std::vector<bool> names = isolated_gaps(found.translation->persian);
  fmt::dynamic_format_arg_store<fmt::format_context> gaps;
  for (std::size_t i = 0; i < found.gaps.size(); ++i) {
    const bool is_name = i < names.size() && names[i];
    gaps.push_back(is_name ? std::string(found.gaps[i]) : filled_gap(found.gaps[i]));
  }
  return fmt::vformat(fmt::string_view(found.translation->persian), gaps);
}

}  // namespace

std::string to_persian(std::string_view english) {
  if (english.empty()) {
    return {};
  }
  const std::optional<Found> found = find_sentence(english);
  return found ? fill(*found) : isolated_text(english);
}

bool has_persian(std::string_view english) {
  return find_sentence(english).has_value();
}

}  // namespace qanat
