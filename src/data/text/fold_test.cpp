#include "text/fold.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace qanat {
namespace {

struct FoldCase {
  std::string_view name;
  Language language;
  std::u32string_view raw;
  std::string_view folded;
};

class FoldTest : public testing::TestWithParam<FoldCase> {};

TEST_P(FoldTest, GivesOneSpelling) {
  const std::u32string visible = drop_invisible(GetParam().raw, GetParam().language);

  EXPECT_EQ(fold_characters(visible, GetParam().language), GetParam().folded);
}

INSTANTIATE_TEST_SUITE_P(
    Latin,
    FoldTest,
    testing::Values(
        FoldCase{"Accents", Language::en, U"Café naïve Dvořák Łódź", "Cafe naive Dvorak Lodz"},
        FoldCase{"CombiningAccent", Language::en, U"e\u0301", "e"},
        FoldCase{"Vietnamese", Language::en, U"Nguyễn", "Nguyen"},
        FoldCase{"Ligatures", Language::en, U"œuvre Æsop ﬁn ß", "oeuvre Aesop fin ss"},
        FoldCase{"FullWidth", Language::en, U"ＡＢ１２！", "AB12!"},
        FoldCase{"Quotes", Language::en, U"“a” ‘b’ «c»", "\"a\" 'b' \"c\""},
        FoldCase{"Spaces", Language::en, U"a\u00A0b\u2009c\td\ne", "a b c d e"},
        FoldCase{"InvisibleMarks", Language::en, U"\uFEFFa\u200B\u00ADb\u200E", "ab"},
        FoldCase{"Fractions", Language::en, U"2½, ⅐", "2 1/2,  1/7"},
        FoldCase{"Digraphs", Language::en, U"Ǆep ǉubav", "DZep ljubav"},
        FoldCase{"Brackets", Language::en, U"[back]", "(back)"},
        FoldCase{"NoSpellingIsKept", Language::en, U"Я漢😀", "Я漢😀"}),
    [](const auto& tested) { return std::string(tested.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Persian,
    FoldTest,
    testing::Values(
        FoldCase{"ArabicYehAndKaf",
                 Language::fa,
                 U"\u0643\u062A\u0627\u0628 \u0639\u0644\u064A \u0645\u0648\u0633\u0649",
                 "کتاب علی موسی"},
        FoldCase{"TehMarbuta", Language::fa, U"\u0645\u062F\u0631\u0633\u0629", "مدرسه"},
        FoldCase{"HehWithYeh", Language::fa, U"\u062E\u0627\u0646\u06C0", "خانه\u0654"},
        FoldCase{"Alefs", Language::fa, U"\u0671\u0625\u0623\u0622", "ااأآ"},
        FoldCase{"HehVariants", Language::fa, U"\u06C1\u06BE\u06D5", "ههه"},
        FoldCase{"MarksComposeWithTheirLetter",
                 Language::fa,
                 U"\u0627\u0653 \u0627\u0654 \u0648\u0654 \u06CC\u0654 \u0647\u0654",
                 "آ أ ؤ ئ ه\u0654"},
        FoldCase{"PresentationForms",
                 Language::fa,
                 U"\uFEB3\uFEFC\uFEE1 \uFB7A\uFE8E\uFBFD",
                 "سلام چای"},
        FoldCase{"LamAlefWithMadda", Language::fa, U"\uFEF5", "لآ"},
        FoldCase{"FormOfAMark", Language::fa, U"\u0628\uFE76", "\u0628\u064E"},
        FoldCase{"OrnateBrackets", Language::fa, U"\uFD3Eآب\uFD3F", "(آب)"},
        FoldCase{"RialSign", Language::fa, U"\uFDFC", "ریال"},
        FoldCase{"AllahLigature", Language::fa, U"\uFDF2", "الله"},
        FoldCase{"KashidaAndDirection", Language::fa, U"\u202Bمـــا\u200F\u202C\u200D\u2067", "ما"},
        FoldCase{"HarakatStay", Language::fa, U"مُدَرِّس", "مُدَرِّس"},
        FoldCase{"SoftHyphenAndNotSignWereZwnj",
                 Language::fa,
                 U"می\u00ADروم می\u00ACروم",
                 "می\u200Cروم می\u200Cروم"},
        FoldCase{"ThreeDigitSets",
                 Language::fa,
                 U"۰۱۲۳۴۵۶۷۸۹ ٠١٢٣٤٥٦٧٨٩ 0123456789",
                 "0123456789 0123456789 0123456789"},
        FoldCase{"NumberSeparators", Language::fa, U"۱٬۲۳۴٫۵٪", "1,234.5%"},
        FoldCase{"QuotesArePersian", Language::fa, U"“آب” ‹نان›", "«آب» «نان»"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(FoldTest, ShaddaAndItsVowelHaveOneOrder) {
  EXPECT_EQ(fold_characters(U"\u0631\u0651\u0650", Language::fa), "\u0631\u0650\u0651");
  EXPECT_EQ(fold_characters(U"\u0631\u0650\u0651", Language::fa), "\u0631\u0650\u0651");
}

TEST(FoldTest, KashidaBetweenNumbersIsADash) {
  EXPECT_EQ(drop_invisible(U"۵ـ۶ مـن ۷ ــ ۸", Language::fa), U"۵–۶ من ۷ – ۸");
}

}  // namespace
}  // namespace qanat
