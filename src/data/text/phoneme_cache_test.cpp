#include "text/phoneme_cache.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "text/fake_espeak.h"

namespace qanat {
namespace {

TEST(PhonemeCacheTest, RemembersByLanguage) {
  PhonemeCache cache({}, "v1");

  cache.insert("en", "hello", "həlˈoʊ");

  EXPECT_EQ(cache.find("en", "hello"), "həlˈoʊ");
  EXPECT_FALSE(cache.find("fa", "hello"));
}

TEST(PhonemeCacheTest, TheFileOutlivesTheObject) {
  const std::filesystem::path file = make_test_folder() / "new" / "phonemes.tsv";
  { PhonemeCache(file, "v1").insert("fa", "سلام", "salˈɑm"); }

  EXPECT_EQ(PhonemeCache(file, "v1").find("fa", "سلام"), "salˈɑm");
}

TEST(PhonemeCacheTest, AnotherVersionStartsOver) {
  const std::filesystem::path file = make_test_folder() / "phonemes.tsv";
  { PhonemeCache(file, "v1").insert("en", "hello", "old"); }
  PhonemeCache cache(file, "v2");

  EXPECT_EQ(cache.size(), 0U);
}

TEST(PhonemeCacheTest, SavingKeepsWhatAnotherProgramSaved) {
  const std::filesystem::path file = make_test_folder() / "phonemes.tsv";
  PhonemeCache first(file, "v1");
  PhonemeCache second(file, "v1");
  first.insert("en", "one", "wˈʌn");
  second.insert("en", "two", "tˈuː");
  first.save();
  second.save();

  EXPECT_EQ(PhonemeCache(file, "v1").size(), 2U);
}

TEST(PhonemeCacheTest, DamagedLinesAreSkipped) {
  const std::filesystem::path file = make_test_folder() / "phonemes.tsv";
  write_text_file(file, "qanat phonemes 3\tv1\nen\thello\nrubbish\n\nen\tgood\tɡˈʊd\nen\tcut\tk");
  const PhonemeCache cache(file, "v1");

  EXPECT_EQ(cache.size(), 1U);
  EXPECT_EQ(cache.find("en", "good"), "ɡˈʊd");
}

TEST(PhonemeCacheTest, AFolderThatCannotBeWrittenIsAnError) {
  PhonemeCache cache("/proc/nothing/phonemes.tsv", "v1");
  cache.insert("en", "hello", "həlˈoʊ");

  EXPECT_THROW(cache.save(), Error);
}

}  // namespace
}  // namespace qanat
