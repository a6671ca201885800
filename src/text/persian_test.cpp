#include "text/persian.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "text/normalise.h"

namespace qanat {
namespace {

struct Reading {
  std::string_view name;
  std::string_view raw;
  std::string_view spoken;
};

std::string name_of(const testing::TestParamInfo<Reading>& tested) {
  return std::string(tested.param.name);
}

class PersianTest : public testing::TestWithParam<Reading> {};

TEST_P(PersianTest, IsReadAsSpoken) {
  EXPECT_EQ(normalise_text(GetParam().raw, Language::fa), GetParam().spoken);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    PersianTest,
    testing::Values(Reading{"Year", "سال ۱۳۵۷", "سال هزار و سیصد و پنجاه و هفت"},
                    Reading{"Grouped", "۱۲٬۳۴۵ نفر", "دوازده هزار و سیصد و چهل و پنج نفر"},
                    Reading{"GroupedByPersianComma", "۱۲،۳۴۵", "دوازده هزار و سیصد و چهل و پنج"},
                    Reading{"AsciiDigits", "12,345", "دوازده هزار و سیصد و چهل و پنج"},
                    Reading{"ArabicDigits", "١٢٣", "صد و بیست و سه"},
                    Reading{"Decimal", "۳٫۱۴", "سه ممیز چهارده صدم"},
                    Reading{"DecimalPoint", "3.14", "سه ممیز چهارده صدم"},
                    Reading{"DecimalSlash", "نمره ۱۷/۵", "نمره هفده ممیز پنج دهم"},
                    Reading{"Percent",
                            "۲۵٪ و ٪۲۵ و ۳/۷٪",
                            "بیست و پنج درصد و بیست و پنج درصد و سه ممیز هفت دهم درصد"},
                    Reading{"Negative", "دمای -۵ و −۳", "دمای منفی پنج و منفی سه"},
                    Reading{"Fractions", "۱/۲ و ۳/۴ و ½", "یک دوم و سه چهارم و یک دوم"},
                    Reading{"MixedFraction", "۲ ۱/۲ ساعت", "دو و یک دوم ساعت"},
                    Reading{"SlashBeforeMagnitude", "۱/۵ میلیون", "یک ممیز پنج دهم میلیون"},
                    Reading{"Range", "۱۰-۲۰ و ۱۰–۲۰", "ده تا بیست و ده تا بیست"},
                    Reading{"Ratio", "نسبت ۳:۱", "نسبت سه به یک"},
                    Reading{"LeadingZeros", "کد ۰۰۷", "کد صفر صفر هفت"},
                    Reading{"GluedToLetters", "۲۰ساله و کرونا۱۹", "بیست ساله و کرونا نوزده"},
                    Reading{"GluedByZwnj", "۲۰‌ساله", "بیست ساله"},
                    Reading{"List", "۱، ۲ و ۳", "یک، دو و سه"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Ordinals,
    PersianTest,
    testing::Values(Reading{"Century", "قرن ۲۱م", "قرن بیست و یکم"},
                    Reading{"First", "رتبه ۱م", "رتبه اول"},
                    Reading{"Third", "۳م", "سوم"},
                    Reading{"Thirtieth", "۳۰ام", "سی‌ام"},
                    Reading{"WithZwnj", "۲۱‌ام", "بیست و یکم"},
                    Reading{"WithSpace", "۲۱ ام", "بیست و یکم"},
                    Reading{"WithVowelMark", "۵اُم", "پنجم"},
                    Reading{"BeforeNoun", "۲۱مین و ۱۰‌امین", "بیست و یکمین و دهمین"},
                    Reading{"NotInsideAWord", "۵ ماه و ۵ماه", "پنج ماه و پنج ماه"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Quantities,
    PersianTest,
    testing::Values(
        Reading{"Money", "$۵۰ و ۵۰$ و €۲۰", "پنجاه دلار و پنجاه دلار و بیست یورو"},
        Reading{"Cents", "$2.50 و $0.50", "دو دلار و پنجاه سنت و پنجاه سنت"},
        Reading{"Million", "$۲ میلیون", "دو میلیون دلار"},
        Reading{"Toman", "۵۰ هزار تومان", "پنجاه هزار تومان"},
        Reading{"RialSign", "۵۰۰ ﷼", "پانصد ریال"},
        Reading{"Time", "ساعت ۱۰:۳۰", "ساعت ده و سی دقیقه"},
        Reading{"FullHour", "ساعت ۸:۰۰", "ساعت هشت"},
        Reading{"Seconds", "۱۲:۰۵:۳۰", "دوازده و پنج دقیقه و سی ثانیه"},
        Reading{"JalaliDate",
                "۱۴۰۲/۰۵/۱۲ و 12/5/1402",
                "دوازدهم مرداد هزار و چهارصد و دو و دوازدهم مرداد هزار و چهارصد و دو"},
        Reading{"GregorianDate", "۲۰۲۴-۰۵-۱۲", "دوازدهم مه دو هزار و بیست و چهار"},
        Reading{
            "Units",
            "۵ km و ۵۰GB و ۲۰°C",
            "پنج کیلومتر و پنجاه گیگابایت و بیست درجه سانتی‌گراد"},
        Reading{"MobilePhone",
                "۰۹۱۲۱۲۳۴۵۶۷",
                "صفر نهصد و دوازده، صد و بیست و سه، چهل و پنج، شصت و هفت"},
        Reading{"Landline",
                "021-88776655",
                "صفر بیست و یک، هشتاد و هشت، هفتاد و هفت، شصت و شش، پنجاه و پنج"},
        Reading{"CardNumber", "۶۰۳۷۹۹۱۱۲۲", "شش صفر سه هفت نه نه یک یک دو دو"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Letters,
    PersianTest,
    testing::Values(
        Reading{"ArabicLetters", "\u0643\u062A\u0627\u0628 \u0639\u0644\u064A", "کتاب علی"},
        Reading{"Kashida", "مـــدرسه", "مدرسه"},
        Reading{"Zwnj", "می‌روم کتاب‌ها", "می‌روم کتاب‌ها"},
        Reading{"StrayZwnj", "‌کتاب‌ ها ‌، خوب‌", "کتاب ها، خوب"},
        Reading{"Ezafe", "خانۀ ما و خانهٔ ما", "خانه\u0654 ما و خانه\u0654 ما"},
        Reading{"Harakat", "مُدَرِّس", "مُدَرِّس"},
        Reading{"Punctuation", "چرا? بله; خیر, باشد!", "چرا؟ بله؛ خیر، باشد!"},
        Reading{"SpacesBeforeMarks", "سلام . خوبی ؟", "سلام. خوبی؟"},
        Reading{"Quotes", "“سلام” گفت", "«سلام» گفت"},
        Reading{"Signs",
                "۲ + ۳ = ۵ و آب & نان",
                "دو به‌علاوه سه مساوی پنج و آب و نان"},
        Reading{"Calendars",
                "۱۳۵۷ ه.ش. و ۵۰۰ ق.م",
                "هزار و سیصد و پنجاه و هفت هجری شمسی و پانصد قبل از میلاد"},
        Reading{"Honorifics", "امام علی (ع) گفت", "امام علی علیه السلام گفت"},
        Reading{"GluedHonorific", "علی(ع)", "علی علیه السلام"},
        Reading{"Page", "ص. ۱۲", "صفحه دوازده"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    WithEnglish,
    PersianTest,
    testing::Values(Reading{"Words", "شرکت Google است", "شرکت google است"},
                    Reading{"NumberBehind", "گوشی iPhone 12 است", "گوشی iphone دوازده است"},
                    Reading{"NumberBetween", "با Windows 10 Pro", "با windows ten pro"},
                    Reading{"Abbreviation", "آقای Dr. Smith آمد", "آقای doctor smith آمد"},
                    Reading{"GluedPlural", "PDF‌ها و PDFها", "p d f ها و p d f ها"}),
    name_of);

}  // namespace
}  // namespace qanat
