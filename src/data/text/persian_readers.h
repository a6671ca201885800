// The readers of Persian text, each of one kind of thing: numbers, dates, short forms, telephones;
// and what the words around a number say about it: «ساعت ۸/۳۰» is a time, «۸/۳۰ متر» is not.
//
// A reader looks at what starts at a place and writes its words. It returns the bytes it took, or 0
// when there is no such thing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

inline constexpr std::string_view kZwnjBytes = "\u200C";

bool starts_with_persian_letter(std::string_view text);
bool ends_with_persian_letter(std::string_view text);
std::string_view leading_persian_letters(std::string_view text);

// Whether the whole word, followed by `after`, is worth a closer look: most words are not.
bool may_be_persian_abbreviation(std::string_view word, std::string_view after);
// Short forms: ق.ظ, ه.ش, (ع), ص ۱۲, بی.بی.سی.
std::size_t read_persian_abbreviation(const Place& place, WordWriter& out);

// A number and what belongs to it: currency, dates, times, fractions, units. Reads every digit it
// is given.
//
// A slash between two numbers is a decimal mark, as Persian writers use it (۱۷/۵), except in
// dates, times, prices in groups of three, marks out of ten, and in the fractions people write:
// one over something, 2/3 and 3/4, unless a unit or a magnitude follows (۱/۵ میلیون).
std::size_t read_persian_quantity(const Place& place, WordWriter& out);

// ۱.۲۵۰.۰۰۰ and ۱/۲۵۰/۰۰۰: one number in groups of three.
bool is_grouped_amount(std::string_view text);

// ۲٫۴ and ۲/۴/۱ behind «نسخه» and v.
std::size_t read_named_version(const Place& place, WordWriter& out);
// ۱.۲.۳ and 192.168.1.1: numbers with points between them; two of them behind the name of something
// that has versions, in a list of versions, or before «به نسخهٔ».
std::size_t read_version(const Place& place, WordWriter& out);

// ۱۴۰۲/۰۵/۱۲, ۱۲/۵/۱۴۰۲, 1402.05.12, ۶۹/۰۵/۱۲, 2024-05-12T10:30:00. Jalali or Gregorian by the
// year; two digits are a Jalali year.
std::size_t read_persian_date(const Place& place, WordWriter& out);
// ۱۴۰۲/۱۴۰۳, ۱۴۰۲/۰۵ and, behind «تاریخ», ۵/۱۲
std::size_t read_partial_date(const Place& place, WordWriter& out);
// ۱۰:۳۰ ده و سی دقیقه
std::size_t read_persian_clock_time(const Place& place, WordWriter& out);
// ساعت ۸/۳۰, ۸.۳۰ صبح
std::size_t read_slashed_time(const Place& place, WordWriter& out);
// ۱۹۴۵م, ۱۳۵۷ش, ۱۰۳۷ م
std::size_t read_year_of_calendar(const Place& place, WordWriter& out);

// Digits that are dialled or copied, not counted: ۰۹۱۲ ۱۲۳ ۴۵۶۷, ۰۲۱-۸۸۷۷۶۶۵۵, +۹۸ …, and
// ۸۸۷۷۶۶۵۵ behind «تلفن».
std::size_t read_persian_phone(const Place& place, WordWriter& out);
// ۶۰۳۷-۹۹۱۱-۱۲۳۴-۵۶۷۸ in pairs.
std::size_t read_persian_card(const Place& place, WordWriter& out);
// IR and up to 24 digits, spaces allowed.
std::size_t read_iban(const Place& place, WordWriter& out);
// How long the IBAN at the start of `text` is; 0 when there is none.
std::size_t iban_length(std::string_view text);

// How long the roman numeral at `place` is, behind a word that is numbered (قرن XX, فصل IV); 0 when
// there is none.
std::size_t persian_roman_length(const Place& place);
// Reads it: an ordinal behind a century or a king, a number behind a chapter.
std::size_t read_persian_roman(const Place& place, WordWriter& out);

// One of `words` (whole, an ezafe ending allowed) is among the last `reach` words of `before`.
bool persian_word_before(std::string_view before,
                         std::span<const std::string_view> words,
                         std::size_t reach);
// One of `words` is the next word of `after`, which may begin with spaces.
bool persian_word_follows(std::string_view after, std::span<const std::string_view> words);

// What a number in front of `after` counts.
bool currency_follows(std::string_view after);
bool magnitude_follows(std::string_view after);    // هزار، میلیون
bool time_unit_follows(std::string_view after);    // ساعت، روز
bool measure_follows(std::string_view after);      // any of these, a percent, a unit
bool part_of_day_follows(std::string_view after);  // صبح، عصر

bool behind_phone_word(std::string_view before);
bool behind_card_word(std::string_view before);
bool behind_clock_word(std::string_view before);
bool behind_date_word(std::string_view before);
bool behind_year_word(std::string_view before);
bool behind_ratio_word(std::string_view before);
bool behind_version_word(std::string_view before);
// A match or a result is spoken of on either side.
bool among_score_words(std::string_view before, std::string_view after);

}  // namespace qanat
