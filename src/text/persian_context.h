// What the words around a number say about it: «ساعت ۸/۳۰» is a time, «۸/۳۰ متر» is not.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace qanat {

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
