// Numbers as they are written, in folded text (ASCII digits): what stands there, not how it is
// read. Every function looks at the start of `text` only, and in bounded distance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace qanat {

// "1,234.50"
struct WrittenNumber {
  std::string integer;   // digits without separators; empty in ".5"
  std::string fraction;  // digits behind the decimal mark
  bool grouped = false;  // had thousands separators
  std::size_t length = 0;

  bool is_one() const { return integer == "1" && fraction.empty(); }
};

std::optional<WrittenNumber> scan_number(std::string_view text);

std::string_view leading_digits(std::string_view text);

// Reads at most 18 digits; longer ones are not read as a number.
std::optional<std::uint64_t> to_value(std::string_view digits);

// "10:30", "10:30:15"
struct ClockTime {
  int hour = 0;
  int minute = 0;
  std::optional<int> second;
  std::size_t length = 0;
};

std::optional<ClockTime> scan_clock_time(std::string_view text);

// "1402/05/12", "2024-05-12", "5/12/2024": three numbers and one kind of separator. The year is
// the one with four digits; `first` and `second` are the others in the order they stand in.
struct WrittenDate {
  int year = 0;
  int first = 0;
  int second = 0;
  bool year_first = false;
  std::size_t length = 0;
};

std::optional<WrittenDate> scan_date(std::string_view text);

// "3/4"
struct WrittenFraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 0;
  std::size_t length = 0;
};

std::optional<WrittenFraction> scan_fraction(std::string_view text);

// Groups of digits as they follow each other in a text, at most eight. Views into that text.
class DigitGroups {
 public:
  bool full() const { return size_ == groups_.size(); }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  std::string_view operator[](std::size_t index) const { return groups_[index]; }
  std::string_view front() const { return groups_[0]; }
  std::string_view back() const { return groups_[size_ - 1]; }
  auto begin() const { return groups_.begin(); }
  auto end() const { return groups_.begin() + size_; }

  void add(std::string_view group) { groups_[size_++] = group; }
  // Counts the digits of the first `count` groups together.
  std::size_t num_digits(std::size_t count) const;
  // They have these numbers of digits.
  bool have_sizes(std::initializer_list<std::size_t> sizes) const;

 private:
  std::array<std::string_view, 8> groups_;
  std::size_t size_ = 0;
};

// "555-1234", "(212) 555-1234", "+98 912 123 4567"
struct PhoneNumber {
  DigitGroups groups;
  bool international = false;  // began with +
  std::size_t length = 0;
};

// Only what can hardly be anything else: groups of 3-4, 3-3-4 or 1-3-3-4 digits, a leading zero
// and at least 7 digits, or a leading + and at least 8.
std::optional<PhoneNumber> scan_phone_number(std::string_view text);

// "$", "€" ...: the sign at the start of `text`; empty when there is none.
std::string_view leading_currency_sign(std::string_view text);

}  // namespace qanat
