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
    UsState{"AL", "alabama", StateCertainty::with_zip},
    UsState{"AK", "alaska", StateCertainty::alone},
    UsState{"AZ", "arizona", StateCertainty::alone},
    UsState{"AR", "arkansas", StateCertainty::alone},
    UsState{"CA", "california", StateCertainty::alone},
    UsState{"CO", "colorado", StateCertainty::alone},
    UsState{"CT", "connecticut", StateCertainty::alone},
    UsState{"DE", "delaware", StateCertainty::with_zip},
    UsState{"DC", "d c", StateCertainty::alone},
    UsState{"FL", "florida", StateCertainty::alone},
    UsState{"GA", "georgia", StateCertainty::alone},
    UsState{"HI", "hawaii", StateCertainty::with_zip},
    UsState{"ID", "idaho", StateCertainty::with_zip},
    UsState{"IL", "illinois", StateCertainty::alone},
    UsState{"IN", "indiana", StateCertainty::with_zip},
    UsState{"IA", "iowa", StateCertainty::alone},
    UsState{"KS", "kansas", StateCertainty::alone},
    UsState{"KY", "kentucky", StateCertainty::alone},
    UsState{"LA", "louisiana", StateCertainty::with_zip},
    UsState{"ME", "maine", StateCertainty::with_zip},
    UsState{"MD", "maryland", StateCertainty::with_zip},
    UsState{"MA", "massachusetts", StateCertainty::with_zip},
    UsState{"MI", "michigan", StateCertainty::alone},
    UsState{"MN", "minnesota", StateCertainty::alone},
    UsState{"MS", "mississippi", StateCertainty::alone},
    UsState{"MO", "missouri", StateCertainty::alone},
    UsState{"MT", "montana", StateCertainty::alone},
    UsState{"NE", "nebraska", StateCertainty::alone},
    UsState{"NV", "nevada", StateCertainty::alone},
    UsState{"NH", "new hampshire", StateCertainty::alone},
    UsState{"NJ", "new jersey", StateCertainty::alone},
    UsState{"NM", "new mexico", StateCertainty::alone},
    UsState{"NY", "new york", StateCertainty::alone},
    UsState{"NC", "north carolina", StateCertainty::alone},
    UsState{"ND", "north dakota", StateCertainty::alone},
    UsState{"OH", "ohio", StateCertainty::with_zip},
    UsState{"OK", "oklahoma", StateCertainty::with_zip},
    UsState{"OR", "oregon", StateCertainty::with_zip},
    UsState{"PA", "pennsylvania", StateCertainty::with_zip},
    UsState{"RI", "rhode island", StateCertainty::alone},
    UsState{"SC", "south carolina", StateCertainty::alone},
    UsState{"SD", "south dakota", StateCertainty::alone},
    UsState{"TN", "tennessee", StateCertainty::alone},
    UsState{"TX", "texas", StateCertainty::alone},
    UsState{"UT", "utah", StateCertainty::alone},
    UsState{"VT", "vermont", StateCertainty::alone},
    UsState{"VA", "virginia", StateCertainty::alone},
    UsState{"WA", "washington", StateCertainty::alone},
    UsState{"WV", "west virginia", StateCertainty::alone},
    UsState{"WI", "wisconsin", StateCertainty::alone},
    UsState{"WY", "wyoming", StateCertainty::alone},
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
