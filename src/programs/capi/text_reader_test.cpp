#include "capi/text_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capi/loader_session.h"

namespace qanat {
namespace {

TEST(TextReaderTest, TokensAreThoseOfTheFrontEnd) {
  const TextReader reader("{}");

  const nlohmann::json read = reader.read("Dr. Smith has 2 cats ☃.", "en");

  EXPECT_EQ(read["tokens"].get<TokenIds>(),
            TextFrontEnd().tokens("Dr. Smith has 2 cats ☃.", Language::en).value());
  EXPECT_EQ(read["unknown"]["☃"], 1);
  EXPECT_TRUE(read["phonemes"].is_null());
  EXPECT_EQ(read["language"], "en");
}

TEST(TextReaderTest, TheScriptSaysTheLanguageWhereNobodyDoes) {
  EXPECT_EQ(TextReader("{}").read("سلام", "")["language"], "fa");
}

TEST(TextReaderTest, EveryTokenHasItsSymbol) {
  const TextReader reader("{}");
  const nlohmann::json symbols = reader.symbols();

  ASSERT_EQ(symbols.size(), static_cast<std::size_t>(Tokenizer().size()));
  EXPECT_EQ(symbols[0], "[pad]");
  EXPECT_EQ(symbols[reader.read("a", "en")["tokens"][2].get<std::size_t>()], "a");
}

TEST(TextReaderTest, WhatCannotBeReadIsRefused) {
  const TextReader reader("{}");

  EXPECT_THROW(reader.read("hello", "no such language"), MisuseError);
  EXPECT_THROW(reader.read("\xFF", "en"), MisuseError);
  EXPECT_THROW(reader.read("", "en"), MisuseError);
  EXPECT_THROW(TextReader("no JSON"), Error);
  EXPECT_THROW(TextReader(R"({"use_phonems": true})"), Error);
}

}  // namespace
}  // namespace qanat
