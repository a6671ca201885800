// Digits in English text that are no count: card numbers, versions, room numbers, heights.
#pragma once

#include <cstddef>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// Each reads what starts at `place` and writes its words. The bytes taken, or 0.

// "4111 1111 1111 1111", "123-45-6789", "1-800-FLOWERS": digit by digit, a pause between groups.
std::size_t read_english_digit_groups(const Place& place, WordWriter& out);

// "1.12.3", "192.168.1.1", "Python 3.10".
std::size_t read_english_version(const Place& place, WordWriter& out);

// "Room 101", "Flight 370", "dial 911".
std::size_t read_english_designation(const Place& place, WordWriter& out);

// 6'2", 55".
std::size_t read_english_height(const Place& place, WordWriter& out);

}  // namespace qanat
