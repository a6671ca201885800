// Digits that are dialled or copied, not counted: telephone and card numbers, IBANs.
#pragma once

#include <cstddef>
#include <string_view>

#include "text/place.h"
#include "text/word_writer.h"

namespace qanat {

// ۰۹۱۲ ۱۲۳ ۴۵۶۷, ۰۲۱-۸۸۷۷۶۶۵۵, +۹۸ …, and ۸۸۷۷۶۶۵۵ behind «تلفن». The bytes taken, or 0.
std::size_t read_persian_phone(const Place& place, WordWriter& out);

// ۶۰۳۷-۹۹۱۱-۱۲۳۴-۵۶۷۸ in pairs. The bytes taken, or 0.
std::size_t read_persian_card(const Place& place, WordWriter& out);

// IR and up to 24 digits, spaces allowed. The bytes taken, or 0.
std::size_t read_iban(const Place& place, WordWriter& out);

// Of the IBAN at the start of `text`, 0 when there is none.
std::size_t iban_length(std::string_view text);

}  // namespace qanat
