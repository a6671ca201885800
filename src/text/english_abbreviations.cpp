#include "text/english_abbreviations.h"

#include <algorithm>
#include <array>
#include <string>

#include "text/characters.h"

namespace qanat {
namespace {

using std::string_view;

// Where an abbreviation counts as one. A capital first letter is asked for wherever the lower-case
// form is an English word or the end of a sentence would look the same.
enum class Rule {
  title,              // capital, before a capital: "Dr. Smith"; the full stop may be missing
  title_with_stop,    // the same, with a full stop: "Gen. Lee"
  capital_with_stop,  // capital and full stop: "Transit Co."
  anywhere,           // "etc.", "vs"
  before_number,      // "No. 5", "p. 12"
  before_date,        // capital and full stop, before a number or comma: "Sat., May 5"
};

struct Abbreviation {
  string_view written;  // lower case, without the full stop
  string_view words;
  Rule rule;
};

constexpr std::array kEnglishAbbreviations = {
    Abbreviation{"mr", "mister", Rule::title},
    Abbreviation{"mrs", "missus", Rule::title},
    Abbreviation{"ms", "miz", Rule::title},
    Abbreviation{"dr", "doctor", Rule::title},
    Abbreviation{"st", "saint", Rule::title},
    Abbreviation{"mt", "mount", Rule::title},
    Abbreviation{"ft", "fort", Rule::title},
    Abbreviation{"messrs", "messieurs", Rule::title},
    Abbreviation{"mme", "madame", Rule::title},
    Abbreviation{"mlle", "mademoiselle", Rule::title},
    Abbreviation{"prof", "professor", Rule::title_with_stop},
    Abbreviation{"rev", "reverend", Rule::title_with_stop},
    Abbreviation{"hon", "honorable", Rule::title_with_stop},
    Abbreviation{"capt", "captain", Rule::title_with_stop},
    Abbreviation{"col", "colonel", Rule::title_with_stop},
    Abbreviation{"lt", "lieutenant", Rule::title_with_stop},
    Abbreviation{"lieut", "lieutenant", Rule::title_with_stop},
    Abbreviation{"maj", "major", Rule::title_with_stop},
    Abbreviation{"gen", "general", Rule::title_with_stop},
    Abbreviation{"brig", "brigadier", Rule::title_with_stop},
    Abbreviation{"sgt", "sergeant", Rule::title_with_stop},
    Abbreviation{"cpl", "corporal", Rule::title_with_stop},
    Abbreviation{"pvt", "private", Rule::title_with_stop},
    Abbreviation{"cmdr", "commander", Rule::title_with_stop},
    Abbreviation{"adm", "admiral", Rule::title_with_stop},
    Abbreviation{"gov", "governor", Rule::title_with_stop},
    Abbreviation{"pres", "president", Rule::title_with_stop},
    Abbreviation{"sen", "senator", Rule::title_with_stop},
    Abbreviation{"rep", "representative", Rule::title_with_stop},
    Abbreviation{"supt", "superintendent", Rule::title_with_stop},
    Abbreviation{"st", "street", Rule::capital_with_stop},
    Abbreviation{"dr", "drive", Rule::capital_with_stop},
    Abbreviation{"ave", "avenue", Rule::capital_with_stop},
    Abbreviation{"blvd", "boulevard", Rule::capital_with_stop},
    Abbreviation{"rd", "road", Rule::capital_with_stop},
    Abbreviation{"hwy", "highway", Rule::capital_with_stop},
    Abbreviation{"jr", "junior", Rule::capital_with_stop},
    Abbreviation{"sr", "senior", Rule::capital_with_stop},
    Abbreviation{"esq", "esquire", Rule::capital_with_stop},
    Abbreviation{"co", "company", Rule::capital_with_stop},
    Abbreviation{"corp", "corporation", Rule::capital_with_stop},
    Abbreviation{"inc", "incorporated", Rule::capital_with_stop},
    Abbreviation{"ltd", "limited", Rule::capital_with_stop},
    Abbreviation{"bros", "brothers", Rule::capital_with_stop},
    Abbreviation{"dept", "department", Rule::capital_with_stop},
    Abbreviation{"univ", "university", Rule::capital_with_stop},
    Abbreviation{"assn", "association", Rule::capital_with_stop},
    Abbreviation{"mss", "manuscripts", Rule::capital_with_stop},
    Abbreviation{"jan", "january", Rule::capital_with_stop},
    Abbreviation{"feb", "february", Rule::capital_with_stop},
    Abbreviation{"apr", "april", Rule::capital_with_stop},
    Abbreviation{"aug", "august", Rule::capital_with_stop},
    Abbreviation{"sept", "september", Rule::capital_with_stop},
    Abbreviation{"oct", "october", Rule::capital_with_stop},
    Abbreviation{"nov", "november", Rule::capital_with_stop},
    Abbreviation{"dec", "december", Rule::capital_with_stop},
    Abbreviation{"etc", "et cetera", Rule::anywhere},
    Abbreviation{"vs", "versus", Rule::anywhere},
    Abbreviation{"viz", "namely", Rule::anywhere},
    Abbreviation{"approx", "approximately", Rule::anywhere},
    Abbreviation{"no", "number", Rule::before_number},
    Abbreviation{"nos", "numbers", Rule::before_number},
    Abbreviation{"p", "page", Rule::before_number},
    Abbreviation{"pp", "pages", Rule::before_number},
    Abbreviation{"vol", "volume", Rule::before_number},
    Abbreviation{"ch", "chapter", Rule::before_number},
    Abbreviation{"fig", "figure", Rule::before_number},
    Abbreviation{"sec", "section", Rule::before_number},
    Abbreviation{"ca", "circa", Rule::before_number},
    Abbreviation{"mar", "march", Rule::before_date},
    Abbreviation{"jun", "june", Rule::before_date},
    Abbreviation{"jul", "july", Rule::before_date},
    Abbreviation{"mon", "monday", Rule::before_date},
    Abbreviation{"tue", "tuesday", Rule::before_date},
    Abbreviation{"tues", "tuesday", Rule::before_date},
    Abbreviation{"wed", "wednesday", Rule::before_date},
    Abbreviation{"thu", "thursday", Rule::before_date},
    Abbreviation{"thurs", "thursday", Rule::before_date},
    Abbreviation{"fri", "friday", Rule::before_date},
    Abbreviation{"sat", "saturday", Rule::before_date},
    Abbreviation{"sun", "sunday", Rule::before_date},
};

constexpr std::size_t kLongestAbbreviation =
    std::ranges::max(kEnglishAbbreviations, {}, [](const Abbreviation& one) {
      return one.written.size();
    }).written.size();

bool starts_with_capital(string_view text) {
  return !text.empty() && is_ascii_upper(text.front());
}

// "123 Main St. Dallas": a house number, a name, then the street.
bool follows_house_number(string_view before) {
  const string_view name = word_before(before);
  if (name.empty() || !starts_with_capital(name)) {
    return false;
  }
  const std::size_t name_begin = static_cast<std::size_t>(name.data() - before.data());
  string_view front = before.substr(0, name_begin);
  return front.ends_with(' ') && ends_in_digit(front.substr(0, front.size() - 1));
}

// Whether `rule` holds for a word that is, or is not, followed by a full stop.
bool holds(Rule rule, const Place& place, string_view word, bool stop) {
  const string_view after = place.rest.substr(word.size() + (stop ? 1 : 0));
  const string_view next = skip_spaces(after.substr(0, 8));
  const bool capital = starts_with_capital(word);
  switch (rule) {
    case Rule::title:
    case Rule::title_with_stop:
      return capital && (stop || rule == Rule::title) && after.starts_with(' ') &&
             starts_with_capital(next) && !follows_house_number(place.before);
    case Rule::capital_with_stop:
      return capital && stop;
    case Rule::anywhere:
      return true;
    case Rule::before_number:
      return stop && starts_with_digit(next);
    case Rule::before_date:
      return capital && stop && (starts_with_digit(next) || next.starts_with(','));
  }
  return false;
}

bool keeps_stop(Rule rule, string_view after) {
  const bool is_title = rule == Rule::title || rule == Rule::title_with_stop;
  return !is_title && ends_sentence(after);
}

}  // namespace

bool ends_text(string_view after) {
  return after.substr(0, 8).find_first_not_of(" \"')") == string_view::npos && after.size() <= 8;
}

bool ends_sentence(string_view after) {
  if (ends_text(after)) {
    return true;
  }
  const std::size_t gap = std::min(after.find_first_not_of("\"')"), after.size());
  after = after.substr(gap);
  return after.starts_with(' ') && starts_with_capital(skip_spaces(after.substr(0, 8)));
}

std::size_t read_english_abbreviation(const Place& place, string_view word, WordWriter& out) {
  if (word.size() > kLongestAbbreviation) {
    return 0;
  }
  const bool stop = place.rest.substr(word.size()).starts_with('.');
  const std::string lower = ascii_lower(word);
  for (const Abbreviation& abbreviation : kEnglishAbbreviations) {
    if (lower != abbreviation.written || !holds(abbreviation.rule, place, word, stop)) {
      continue;
    }
    const std::size_t length = word.size() + (stop ? 1 : 0);
    out.words(abbreviation.words);
    if (stop && keeps_stop(abbreviation.rule, place.rest.substr(length))) {
      out.symbol(".");
    }
    return length;
  }
  return 0;
}

}  // namespace qanat
