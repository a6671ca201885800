// How the values of an enumeration are called in JSON, and how they are said: a row each, in their
// order.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/message.h"

namespace qanat {

struct NameAndWords {
  std::string_view name;
  MessageId words{};
};

template <typename Enumeration, std::size_t kValues>
constexpr std::string_view name_in(const std::array<NameAndWords, kValues>& rows,
                                   Enumeration value) {
  return rows.at(static_cast<std::size_t>(value)).name;
}

template <typename Enumeration, std::size_t kValues>
Message words_in(const std::array<NameAndWords, kValues>& rows, Enumeration value) {
  return {.id = rows.at(static_cast<std::size_t>(value)).words};
}

}  // namespace qanat
