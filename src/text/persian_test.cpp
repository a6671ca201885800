#include "text/persian.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "text/normalise.h"

namespace qanat {
namespace {

struct PersianReading {
  std::string_view name;
  std::string_view raw;
  std::string_view spoken;
};

std::string persian_case_name(const testing::TestParamInfo<PersianReading>& tested) {
  return std::string(tested.param.name);
}

class PersianTest : public testing::TestWithParam<PersianReading> {};

TEST_P(PersianTest, IsReadAsSpoken) {
  EXPECT_EQ(normalise_text(GetParam().raw, Language::fa), GetParam().spoken);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    PersianTest,
    testing::Values(PersianReading{"Year", "سال ۱۳۵۷", "سال هزار و سیصد و پنجاه و هفت"},
                    PersianReading{"Grouped", "۱۲٬۳۴۵ نفر", "دوازده هزار و سیصد و چهل و پنج نفر"},
                    PersianReading{
                        "GroupedByPersianComma", "۱۲،۳۴۵", "دوازده هزار و سیصد و چهل و پنج"},
                    PersianReading{"AsciiDigits", "12,345", "دوازده هزار و سیصد و چهل و پنج"},
                    PersianReading{"ArabicDigits", "١٢٣", "صد و بیست و سه"},
                    PersianReading{"Decimal", "۳٫۱۴", "سه ممیز چهارده صدم"},
                    PersianReading{"DecimalPoint", "3.14", "سه ممیز چهارده صدم"},
                    PersianReading{"DecimalSlash", "نمره ۱۷/۵", "نمره هفده ممیز پنج دهم"},
                    PersianReading{"Percent",
                                   "۲۵٪ و ٪۲۵ و ۳/۷٪",
                                   "بیست و پنج درصد و بیست و پنج درصد و سه ممیز هفت دهم درصد"},
                    PersianReading{"Negative", "دمای -۵ و −۳", "دمای منفی پنج و منفی سه"},
                    PersianReading{"Fractions", "۱/۲ و ۳/۴ و ½", "یک دوم و سه چهارم و یک دوم"},
                    PersianReading{"MixedFraction", "۲ ۱/۲ ساعت", "دو و نیم ساعت"},
                    PersianReading{"SlashBeforeMagnitude", "۱/۵ میلیون", "یک و نیم میلیون"},
                    PersianReading{"Range", "۱۰-۲۰ و ۱۰–۲۰", "ده تا بیست و ده تا بیست"},
                    PersianReading{"Ratio", "نسبت ۳:۱", "نسبت سه به یک"},
                    PersianReading{"LeadingZeros", "کد ۰۰۷", "کد صفر صفر هفت"},
                    PersianReading{"GluedToLetters", "۲۰ساله و کرونا۱۹", "بیست ساله و کرونا نوزده"},
                    PersianReading{"GluedByZwnj", "۲۰‌ساله", "بیست ساله"},
                    PersianReading{"List", "۱، ۲ و ۳", "یک، دو و سه"}),
    persian_case_name);

INSTANTIATE_TEST_SUITE_P(
    Ordinals,
    PersianTest,
    testing::Values(PersianReading{"Century", "قرن ۲۱م", "قرن بیست و یکم"},
                    PersianReading{"First", "رتبه ۱م", "رتبه اول"},
                    PersianReading{"Third", "۳م", "سوم"},
                    PersianReading{"Thirtieth", "۳۰ام", "سی‌ام"},
                    PersianReading{"WithZwnj", "۲۱‌ام", "بیست و یکم"},
                    PersianReading{"WithSpace", "۲۱ ام", "بیست و یکم"},
                    PersianReading{"WithVowelMark", "۵اُم", "پنجم"},
                    PersianReading{
                        "BeforeNoun", "۲۱مین و ۱۰‌امین", "بیست و یکمین و دهمین"},
                    PersianReading{"NotInsideAWord", "۵ ماه و ۵ماه", "پنج ماه و پنج ماه"}),
    persian_case_name);

INSTANTIATE_TEST_SUITE_P(
    Quantities,
    PersianTest,
    testing::Values(
        PersianReading{"Money", "$۵۰ و ۵۰$ و €۲۰", "پنجاه دلار و پنجاه دلار و بیست یورو"},
        PersianReading{"Cents", "$2.50 و $0.50", "دو دلار و پنجاه سنت و پنجاه سنت"},
        PersianReading{"Million", "$۲ میلیون", "دو میلیون دلار"},
        PersianReading{"Toman", "۵۰ هزار تومان", "پنجاه هزار تومان"},
        PersianReading{"RialSign", "۵۰۰ ﷼", "پانصد ریال"},
        PersianReading{"Time", "ساعت ۱۰:۳۰", "ساعت ده و سی دقیقه"},
        PersianReading{"FullHour", "ساعت ۸:۰۰", "ساعت هشت"},
        PersianReading{"Seconds", "۱۲:۰۵:۳۰", "دوازده و پنج دقیقه و سی ثانیه"},
        PersianReading{"JalaliDate",
                       "۱۴۰۲/۰۵/۱۲ و 12/5/1402",
                       "دوازدهم مرداد هزار و چهارصد و دو و دوازدهم مرداد هزار و چهارصد و دو"},
        PersianReading{"GregorianDate", "۲۰۲۴-۰۵-۱۲", "دوازدهم مه دو هزار و بیست و چهار"},
        PersianReading{
            "Units",
            "۵ km و ۵۰GB و ۲۰°C",
            "پنج کیلومتر و پنجاه گیگابایت و بیست درجه سانتی‌گراد"},
        PersianReading{"MobilePhone",
                       "۰۹۱۲۱۲۳۴۵۶۷",
                       "صفر نهصد و دوازده، صد و بیست و سه، چهل و پنج، شصت و هفت"},
        PersianReading{"Landline",
                       "021-88776655",
                       "صفر بیست و یک، هشتاد و هشت، هفتاد و هفت، شصت و شش، پنجاه و پنج"},
        PersianReading{"CardNumber", "۶۰۳۷۹۹۱۱۲۲", "شش صفر سه هفت نه نه یک یک دو دو"}),
    persian_case_name);

INSTANTIATE_TEST_SUITE_P(
    Letters,
    PersianTest,
    testing::Values(
        PersianReading{"ArabicLetters", "\u0643\u062A\u0627\u0628 \u0639\u0644\u064A", "کتاب علی"},
        PersianReading{"Kashida", "مـــدرسه", "مدرسه"},
        PersianReading{"Zwnj", "می‌روم کتاب‌ها", "می‌روم کتاب‌ها"},
        PersianReading{
            "StrayZwnj", "‌کتاب‌ ها ‌، خوب‌", "کتاب‌ها، خوب"},
        PersianReading{"Ezafe", "خانۀ ما و خانهٔ ما", "خانه\u0654 ما و خانه\u0654 ما"},
        PersianReading{"Harakat", "مُدَرِّس", "مُدَرِّس"},
        PersianReading{"Punctuation", "چرا? بله; خیر, باشد!", "چرا؟ بله؛ خیر، باشد!"},
        PersianReading{"SpacesBeforeMarks", "سلام . خوبی ؟", "سلام. خوبی؟"},
        PersianReading{"Quotes", "“سلام” گفت", "«سلام» گفت"},
        PersianReading{"Signs",
                       "۲ + ۳ = ۵ و آب & نان",
                       "دو به‌علاوه سه مساوی پنج و آب و نان"},
        PersianReading{"Calendars",
                       "۱۳۵۷ ه.ش. و ۵۰۰ ق.م",
                       "هزار و سیصد و پنجاه و هفت هجری شمسی و پانصد قبل از میلاد"},
        PersianReading{"Honorifics", "امام علی (ع) گفت", "امام علی علیه السلام گفت"},
        PersianReading{"GluedHonorific", "علی(ع)", "علی علیه السلام"},
        PersianReading{"Page", "ص. ۱۲", "صفحه\u0654 دوازده"}),
    persian_case_name);

INSTANTIATE_TEST_SUITE_P(
    WithEnglish,
    PersianTest,
    testing::Values(PersianReading{"Words", "شرکت Google است", "شرکت google است"},
                    PersianReading{"NumberBehind", "گوشی iPhone 12 است", "گوشی iphone دوازده است"},
                    PersianReading{"NumberBetween", "با Windows 10 Pro", "با windows ten pro"},
                    PersianReading{"Abbreviation", "آقای Dr. Smith آمد", "آقای doctor smith آمد"},
                    PersianReading{"GluedPlural", "PDF‌ها و PDFها", "p d f ها و p d f ها"}),
    persian_case_name);

}  // namespace
}  // namespace qanat
