// Where words stand in a table that is known when compiling, found in one step however many there
// are. Value; the table has to outlive it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace qanat {

template <std::size_t kWords>
class WordIndex {
 public:
  constexpr explicit WordIndex(const std::array<std::string_view, kWords>& words) : words_(words) {
    sort_into_buckets();
  }

  // The field of each row that holds its word.
  template <typename Row>
  constexpr WordIndex(const std::array<Row, kWords>& rows, std::string_view Row::*word) {
    for (std::size_t i = 0; i < kWords; ++i) {
      words_[i] = rows[i].*word;
    }
    sort_into_buckets();
  }

  constexpr bool contains(std::string_view word) const { return find(word) < kWords; }

  // The first row of the word; the number of words when there is none.
  constexpr std::size_t find(std::string_view word) const {
    for (const std::uint16_t row : candidates(word)) {
      if (words_[row] == word) {
        return row;
      }
    }
    return kWords;
  }

  // The rows that may hold the word, in their order. For tables that hold some words twice.
  constexpr std::span<const std::uint16_t> candidates(std::string_view word) const {
    if (word.empty() || word.size() > longest_) {
      return {};
    }
    const std::size_t bucket = bucket_of(word);
    return std::span(rows_).subspan(begins_[bucket], begins_[bucket + 1] - begins_[bucket]);
  }

 private:
  static constexpr std::size_t kBuckets = std::bit_ceil(kWords * 4);
  static_assert(kWords > 0 && kWords < 0x4000);

  // The length and three bytes tell most words apart; of Persian letters the second byte does.
  static constexpr std::size_t bucket_of(std::string_view word) {
    const std::size_t last = word.size() - 1;
    const auto byte = [&](std::size_t at) {
      return std::uint32_t{static_cast<unsigned char>(word[at < last ? at : last])};
    };
    const std::uint32_t mixed = byte(1) | byte(word.size() / 2 | 1) << 8 | byte(last) << 16 |
                                static_cast<std::uint32_t>(word.size()) << 24;
    return (mixed * 0x9E3779B1U) >> (32 - std::countr_zero(kBuckets));
  }

  constexpr void sort_into_buckets() {
    std::array<std::uint16_t, kBuckets> sizes{};
    for (const std::string_view word : words_) {
      ++sizes[bucket_of(word)];
      longest_ = word.size() > longest_ ? word.size() : longest_;
    }
    for (std::size_t i = 0; i < kBuckets; ++i) {
      begins_[i + 1] = static_cast<std::uint16_t>(begins_[i] + sizes[i]);
    }
    std::array<std::uint16_t, kBuckets> filled{};
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::size_t bucket = bucket_of(words_[i]);
      rows_[begins_[bucket] + filled[bucket]++] = static_cast<std::uint16_t>(i);
    }
  }

  std::array<std::string_view, kWords> words_{};
  std::array<std::uint16_t, kWords> rows_{};          // by bucket
  std::array<std::uint16_t, kBuckets + 1> begins_{};  // of each bucket in rows_
  std::size_t longest_ = 0;
};

}  // namespace qanat
