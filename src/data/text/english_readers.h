// The readers of English text, each of one kind of thing: numbers, dates, abbreviations, addresses.
//
// A reader looks at what starts at a place and writes its words. It returns the bytes it took, or 0
// when there is no such thing. Where it gets a `word`, that is the letters at the place.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "text/number_scan.h"
#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// English text as it is read aloud: lower case, numbers and abbreviations as words, no digits.
// `folded` is what fold_characters() makes; letters that are not Latin pass through. Spacing is
// left to tidy_text().
std::string expand_english(std::string_view folded);

// Text in capitals throughout says nothing about which words are initialisms or names.
enum class Capitals { meaningful, everywhere };

// "FBI": capitals that are said letter by letter.
bool is_initialism(std::string_view word);
// "FBI" "f b i"
std::string spaced_letters(std::string_view letters);
// The words at `place`, and the spaces behind them, as far as nothing has to be decided about them:
// most of any text. read_english_word() says the same of each word.
std::size_t read_plain_english_words(const Place& place, WordWriter& out);
// The word that starts at `place` (an ASCII letter) in lower case, or what it stands for. Takes at
// least one byte.
std::size_t read_english_word(const Place& place, Capitals capitals, WordWriter& out);

// Whether a full stop right before `after` also ends the text, or the sentence.
bool ends_text(std::string_view after);
bool ends_sentence(std::string_view after);

// One that some context makes an abbreviation; without its full stop.
bool is_english_abbreviation(std::string_view lower);
// "Mr.", "St.", "etc.", "No. 5", with the full stop.
std::size_t read_english_abbreviation(const Place& place, std::string_view word, WordWriter& out);
// "Austin, TX", "Boston, MA 02115": a state of the USA behind the name of a town, with its ZIP
// code.
std::size_t read_english_state(const Place& place, std::string_view word, WordWriter& out);
// "Charles I", "Chapter IV", "World War II": if what stands around it makes it a numeral.
std::size_t read_english_roman(const Place& place,
                               std::string_view word,
                               Capitals capitals,
                               WordWriter& out);

// A full or short name of a month or day, given in lower case.
bool is_calendar_name(std::string_view lower);
// 1 to 12 of "May" or "Sept"; nothing for other words.
std::optional<int> english_month(std::string_view word);
// "january" for 1.
std::string_view english_month_name(int month);
// A short name of a month or day: "Dec 25", "Sat., June 3", "Mon-Fri".
std::size_t read_english_calendar_name(const Place& place, std::string_view word, WordWriter& out);
// Whether a dash between these stands between two months or two days: "Mon-Fri".
bool parts_calendar_names(std::string_view before, std::string_view after);

// "https://example.com/about", "www.example.com", "me@example.com", "localhost:8080": read out,
// sign by sign.
std::size_t read_english_address(const Place& place, WordWriter& out);
// "@john_doe"
std::size_t read_english_handle(const Place& place, WordWriter& out);
// "#BlackLivesMatter" word by word, "#1", "C#". Takes at least one byte.
std::size_t read_english_hashtag(const Place& place, WordWriter& out);

// A number and what belongs to it: currency, dates, times, fractions, units. Reads every digit it
// is given.
std::size_t read_english_quantity(const Place& place, WordWriter& out);

// "$1,234.50", "£2 million": the sign stands in front.
std::size_t read_english_money(const Place& place, WordWriter& out);
// What stands behind a number: its words and length, 0 when there is none.
struct EnglishSuffix {
  std::string words;
  std::size_t length = 0;
};
// "5 €", "50¢"
EnglishSuffix find_english_currency(std::string_view sign, const WrittenNumber& number);

// "5/12/2024", "5/12/24" (month first, unless it cannot be), "12.05.2024" (day first),
// "2024-05-12", "2024-05-12T14:30:00".
std::size_t read_english_date(const Place& place, WordWriter& out);
// "on 3/15": month and day behind a word that asks for a date.
std::size_t read_english_short_date(const Place& place, WordWriter& out);
// "10:30", "10:30:15"
std::size_t read_english_clock_time(const Place& place, WordWriter& out);
// What `number`, which starts at `place`, is as a day beside a month: "November 22" gives
// "twenty-second", "22 November" gives "the twenty-second of". Empty when there is no month.
std::string english_day(const Place& place, const WrittenNumber& number);

// Digits that are no count. "4111 1111 1111 1111", "123-45-6789", "1-800-FLOWERS": digit by digit,
// a pause between groups.
std::size_t read_english_digit_groups(const Place& place, WordWriter& out);
// "1.12.3", "192.168.1.1", "Python 3.10"
std::size_t read_english_version(const Place& place, WordWriter& out);
// "Room 101", "Flight 370", "dial 911"
std::size_t read_english_designation(const Place& place, WordWriter& out);
// 6'2", 55"
std::size_t read_english_height(const Place& place, WordWriter& out);

}  // namespace qanat
