#include "text/english_states.h"

#include <algorithm>
#include <array>

#include "text/characters.h"
#include "text/english_numbers.h"
#include "text/number_scan.h"

namespace qanat {
namespace {

using std::string_view;

// Some are words or initialisms of their own (", OK", ", MD") and need a ZIP code to be a state.
enum class StateCertainty { alone, with_zip };

struct UsState {
  string_view code;
  string_view name;
  StateCertainty certainty;
};

constexpr std::array kUsStates = {
#include "text/english_states_rows.inc"
};

constexpr std::size_t kZipDigits = 5;

// " 90210", " 90210-1234": the digits and how far they reach.
string_view leading_zip(string_view after) {
  if (!after.starts_with(' ')) {
    return {};
  }
  const string_view digits = leading_digits(after.substr(1, kZipDigits + 1));
  return digits.size() == kZipDigits ? digits : string_view{};
}

}  // namespace

std::size_t read_english_state(const Place& place, string_view word, WordWriter& out) {
  if (word.size() != 2 || !place.before.ends_with(", ")) {
    return 0;
  }
  const auto* state = std::ranges::find(kUsStates, word, &UsState::code);
  const string_view town = word_before(place.before.substr(0, place.before.size() - 2));
  if (state == kUsStates.end() || town.empty() || !is_ascii_upper(town.front())) {
    return 0;
  }
  const string_view zip = leading_zip(place.rest.substr(word.size()));
  if (zip.empty() && state->certainty == StateCertainty::with_zip) {
    return 0;
  }
  out.words(state->name);
  if (zip.empty()) {
    return word.size();
  }
  out.words(english_digits(zip));
  return word.size() + 1 + zip.size();
}

}  // namespace qanat
