#include "text/persian_amounts.h"

#include "text/persian_context.h"
#include "text/place.h"

namespace qanat {
namespace {

using std::string_view;

constexpr std::size_t kMaxGroups = 6;
constexpr std::size_t kMaxSlashDecimals = 4;

bool three_digits_at(string_view text, std::size_t at) {
  return leading_digits(text.substr(std::min(at, text.size()), 4)).size() == 3;
}

// ۱/۲۵۰/۰۰۰: groups of three behind one kind of separator.
std::optional<WrittenNumber> scan_groups(string_view text) {
  WrittenNumber number;
  number.integer = leading_digits(text.substr(0, 4));
  number.length = number.integer.size();
  if (number.length == 0 || number.length > 3 || number.length >= text.size() ||
      number.integer.front() == '0') {
    return std::nullopt;
  }
  const char separator = text[number.length];
  if (separator != '/' && separator != '.') {
    return std::nullopt;
  }
  std::size_t groups = 0;
  while (groups < kMaxGroups && number.length < text.size() && text[number.length] == separator &&
         three_digits_at(text, number.length + 1)) {
    number.integer += text.substr(number.length + 1, 3);
    number.length += 4;
    ++groups;
  }
  const string_view after = text.substr(number.length);
  const bool goes_on =
      !after.empty() && after[0] == separator && starts_with_digit(after.substr(1));
  const bool one_counts = number.integer.ends_with("000") || currency_follows(after);
  if (groups == 0 || goes_on || (groups == 1 && !one_counts)) {
    return std::nullopt;
  }
  number.grouped = true;
  return number;
}

}  // namespace

std::optional<WrittenNumber> scan_persian_amount(string_view text) {
  if (std::optional<WrittenNumber> groups = scan_groups(text)) {
    return groups;
  }
  std::optional<WrittenNumber> number = scan_number(text);
  if (!number || !number->fraction.empty() || !text.substr(number->length).starts_with('/')) {
    return number;
  }
  const string_view decimals =
      leading_digits(text.substr(number->length + 1, kMaxSlashDecimals + 1));
  const string_view after = text.substr(number->length + 1 + decimals.size());
  const bool goes_on = after.starts_with('/') && starts_with_digit(after.substr(1));
  if (decimals.empty() || decimals.size() > kMaxSlashDecimals || goes_on) {
    return number;
  }
  number->fraction = decimals;
  number->length += 1 + decimals.size();
  return number;
}

}  // namespace qanat
