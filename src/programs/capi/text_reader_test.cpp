#include "capi/text_reader.h"

#include <memory>
#include <vector>

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

TEST(TextReaderTest, SymbolsThatWereLearntAreListed) {
  const auto front_end = std::make_shared<TextFrontEnd>();
  const LanguageTag german = *to_language_tag("de");
  const std::vector<TextRow> rows = {{.text = "Grüße", .language = german}};
  front_end->learn(rows, {});
  const TextReader reader(front_end);

  const nlohmann::json symbols = reader.symbols();
  const nlohmann::json tokens = reader.read("ü", "de")["tokens"];

  EXPECT_EQ(symbols.size(), static_cast<std::size_t>(Tokenizer().size()) + 3);  // [de], ß, ü
  EXPECT_EQ(symbols[tokens[0].get<std::size_t>()], "[de]");
  EXPECT_EQ(symbols[tokens[2].get<std::size_t>()], "ü");
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
