// Numbers in Persian words, joined by « و ».
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/number_scan.h"

namespace qanat {

// 12345 دوازده هزار و سیصد و چهل و پنج; 1000 هزار
std::string persian_cardinal(std::uint64_t value);

// 1 اول, 3 سوم, 21 بیست و یکم, 30 سی‌ام
std::string persian_ordinal(std::uint64_t value);

// 1 اولین, 21 بیست و یکمین
std::string persian_ordinal_before_noun(std::uint64_t value);

// What stands behind ممیز: "14" چهارده صدم, "5" پنج دهم; beyond six digits one by one.
std::string persian_decimals(std::string_view digits);

// "507" پنج صفر هفت
std::string persian_digits(std::string_view digits);

// 3, 4 سه چهارم
std::string persian_fraction(std::uint64_t numerator, std::uint64_t denominator);

// A group of a telephone number: "912" نهصد و دوازده, "05" صفر پنج
std::string persian_digit_group(std::string_view digits);

// A number as it is written; digits that are no count ("007", card numbers) are read one by one.
std::string persian_integer(const WrittenNumber& number);
std::string persian_number(const WrittenNumber& number);

// With the vowel marks without which they are other words: نُه, سِنت, سی‌اُم.
std::string with_number_vowels(std::string_view words);

}  // namespace qanat
