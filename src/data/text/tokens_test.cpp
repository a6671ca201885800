// The tokens of English and Persian texts are those that models were trained with.
#include <cstdint>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "text/text_front_end.h"
#include "text_cases_folder.h"

namespace qanat {
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  }
  return hash;
}

std::string hash_of(const Result<TokenIds>& ids) {
  if (!ids) {
    return "-";
  }
  return fmt::format("{:016x}", fnv1a(fmt::format("{}", fmt::join(ids.value(), " "))));
}

TEST(TokensTest, OfEnglishAndPersianTextsAreThoseOfBefore) {
  std::ifstream file(QANAT_GOLDEN_FOLDER "/tokens.tsv");
  const TextFrontEnd front_end;
  int compared = 0;

  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) {
      continue;
    }
    const std::size_t hash = line.find('\t') + 1;
    const std::size_t text = line.find('\t', hash) + 1;
    EXPECT_EQ(hash_of(front_end.tokens(line.substr(text), *to_language(line.substr(0, hash - 1)))),
              line.substr(hash, text - hash - 1))
        << line.substr(text);
    ++compared;
  }

  EXPECT_GT(compared, 800);
}

}  // namespace
}  // namespace qanat
