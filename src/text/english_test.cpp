#include "text/english.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "text/normalise.h"

namespace qanat {
namespace {

struct EnglishReading {
  std::string_view name;
  std::string_view raw;
  std::string_view spoken;
};

std::string english_case_name(const testing::TestParamInfo<EnglishReading>& tested) {
  return std::string(tested.param.name);
}

class EnglishTest : public testing::TestWithParam<EnglishReading> {};

TEST_P(EnglishTest, IsReadAsSpoken) {
  EXPECT_EQ(normalise_text(GetParam().raw, Language::en), GetParam().spoken);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    EnglishTest,
    testing::Values(
        EnglishReading{"Small", "It took 3 to 4 minutes.", "it took three to four minutes."},
        EnglishReading{
            "Grouped",
            "1,234,567 people",
            "one million two hundred thirty-four thousand five hundred sixty-seven people"},
        EnglishReading{"Decimal",
                       "3.14 and 0.5 and .5",
                       "three point one four and zero point five and point five"},
        EnglishReading{"Version", "version 1.2.3", "version one point two point three"},
        EnglishReading{"Negative", "-5 degrees (-3)", "minus five degrees (minus three)"},
        EnglishReading{"Ordinals",
                       "1st, 2nd, 3rd, 22nd, 1,000th",
                       "first, second, third, twenty-second, one thousandth"},
        EnglishReading{"CapitalOrdinal", "the 21ST", "the twenty-first"},
        EnglishReading{
            "Percent", "25% or 3.5 %", "twenty-five percent or three point five percent"},
        EnglishReading{"Fractions",
                       "1/2, 3/4, 2/3, 5/3",
                       "one half, three quarters, two thirds, five over three"},
        EnglishReading{"MixedFractions",
                       "2 1/2 miles, 1¾ cups",
                       "two and a half miles, one and three quarters cups"},
        EnglishReading{"RoundTheClock", "24/7", "twenty-four seven"},
        EnglishReading{"Ranges",
                       "pages 10-12, 1914–1918",
                       "pages ten to twelve, nineteen fourteen to nineteen eighteen"},
        EnglishReading{"Ratio", "3:1", "three to one"},
        EnglishReading{"LeadingZeros", "agent 007", "agent zero zero seven"},
        EnglishReading{"CardNumber", "4111111111", "four one one one one one one one one one"},
        EnglishReading{"RoundMillions", "1000000", "one million"},
        EnglishReading{
            "BeyondEighteenDigits",
            "1234567890123456789",
            "one two three four five six seven eight nine zero one two three four five six "
            "seven eight nine"},
        EnglishReading{"Glued", "mp3 3D H2O COVID-19", "mp three three d h two o covid-nineteen"},
        EnglishReading{"Compound", "a 35-year-old", "a thirty-five-year-old"},
        EnglishReading{"List", "(1) first (2) second", "(one) first (two) second"},
        EnglishReading{
            "OtherDigits", "I paid ۵۰ and ٢٠ dollars", "i paid fifty and twenty dollars"}),
    english_case_name);

INSTANTIATE_TEST_SUITE_P(
    Years,
    EnglishTest,
    testing::Values(
        EnglishReading{"Plain", "of about 1455,", "of about fourteen fifty-five,"},
        EnglishReading{"Hundred", "in 1900", "in nineteen hundred"},
        EnglishReading{"TwoThousands", "2005 and 2024", "two thousand five and twenty twenty-four"},
        EnglishReading{"Decades",
                       "the 1980s, the '80s and the 1800's",
                       "the nineteen eighties, the eighties and the eighteen hundreds"},
        EnglishReading{"ShortYear", "in '63", "in sixty-three"},
        EnglishReading{"GroupedIsNoYear", "1,900 men", "one thousand nine hundred men"},
        EnglishReading{"UnitIsNoYear", "1500 km", "one thousand five hundred kilometers"},
        EnglishReading{
            "MonthFirst", "November 22, 1963", "november twenty-second, nineteen sixty-three"},
        EnglishReading{
            "DayFirst", "22 November 1963", "the twenty-second of november nineteen sixty-three"},
        EnglishReading{"DayFirstWithArticle", "the 22 November", "the twenty-second of november"},
        EnglishReading{"ShortMonth", "Nov. 22", "november twenty-second"},
        EnglishReading{
            "Numeric",
            "5/12/2024 and 25/12/2024",
            "may twelfth, twenty twenty-four and december twenty-fifth, twenty twenty-four"},
        EnglishReading{"Iso", "2024-05-12", "may twelfth, twenty twenty-four"}),
    english_case_name);

INSTANTIATE_TEST_SUITE_P(
    Money,
    EnglishTest,
    testing::Values(
        EnglishReading{"DollarsAndCents",
                       "$1,234.50",
                       "one thousand two hundred thirty-four dollars and fifty cents"},
        EnglishReading{"One", "$1, $1.01, £1", "one dollar, one dollar and one cent, one pound"},
        EnglishReading{"CentsOnly", "$0.50 and 50¢", "fifty cents and fifty cents"},
        EnglishReading{"NoCents", "$5.00", "five dollars"},
        EnglishReading{"Pounds", "£5 and £1.50", "five pounds and one pound and fifty pence"},
        EnglishReading{"Euros", "€20, 20 €", "twenty euros, twenty euros"},
        EnglishReading{"Million",
                       "$2 million and $2.5bn",
                       "two million dollars and two point five billion dollars"},
        EnglishReading{"Range",
                       "$5-10 and $100-$200",
                       "five to ten dollars and one hundred dollars to two hundred dollars"},
        EnglishReading{"Negative", "-$5", "minus five dollars"},
        EnglishReading{"OddCents", "$1.5", "one point five dollars"}),
    english_case_name);

INSTANTIATE_TEST_SUITE_P(
    Times,
    EnglishTest,
    testing::Values(EnglishReading{"HalfPast", "at 10:30", "at ten thirty"},
                    EnglishReading{"OhFive", "10:05", "ten oh five"},
                    EnglishReading{"FullHour", "10:00", "ten o'clock"},
                    EnglishReading{"FullHourPm", "10:00 p.m. sharp", "ten p m sharp"},
                    EnglishReading{"Pm", "1:22 p.m., the time", "one twenty-two p m, the time"},
                    EnglishReading{"PmEndsSentence",
                                   "at 5 p.m. We left at 6 a.m.",
                                   "at five p m. we left at six a m."},
                    EnglishReading{"PlainPm", "5 PM, 5pm", "five p m, five p m"},
                    EnglishReading{"Military", "13:00", "thirteen hundred"},
                    EnglishReading{"Seconds", "10:30:15", "ten thirty and fifteen seconds"},
                    EnglishReading{"OClock", "a 1 o'clock train", "a one o'clock train"}),
    english_case_name);

INSTANTIATE_TEST_SUITE_P(
    Phones,
    EnglishTest,
    testing::Values(
        EnglishReading{"Local", "555-1234", "five five five, one two three four"},
        EnglishReading{"Area", "(212) 555-1234", "two one two, five five five, one two three four"},
        EnglishReading{"TollFree",
                       "1-800-555-1234",
                       "one, eight zero zero, five five five, one two three four"},
        EnglishReading{"International",
                       "+1 212 555 1234",
                       "plus one, two one two, five five five, one two three four"}),
    english_case_name);

INSTANTIATE_TEST_SUITE_P(
    Words,
    EnglishTest,
    testing::Values(
        EnglishReading{"Titles",
                       "Mr. Smith, Mrs. Jones and Dr. Brown",
                       "mister smith, missus jones and doctor brown"},
        EnglishReading{"WithoutStop", "Mr Smith", "mister smith"},
        EnglishReading{"Ranks", "Maj. Gen. Lee", "major general lee"},
        EnglishReading{"SaintOrStreet",
                       "St. Paul and Elm St. in Dallas",
                       "saint paul and elm street in dallas"},
        EnglishReading{
            "HouseNumber", "411 Main St. Dallas", "four hundred eleven main street. dallas"},
        EnglishReading{"Drive", "on Oak Dr. today", "on oak drive today"},
        EnglishReading{"Company",
                       "the Transit Co. and J. Smith Jr.",
                       "the transit company and j smith junior."},
        EnglishReading{"EtCetera", "psalters, etc., produced", "psalters, et cetera, produced"},
        EnglishReading{
            "ThatIs", "i.e. the letter, e.g., that", "that is the letter, for example, that"},
        EnglishReading{"Versus", "him vs. her", "him versus her"},
        EnglishReading{"NumberSign", "No. 5 and #7", "number five and number seven"},
        EnglishReading{"NoIsAWord", "She said no. Then left.", "she said no. then left."},
        EnglishReading{"Initials", "J. D. Tippit", "j d tippit"},
        EnglishReading{"PronounKeepsItsStop", "So did I. Then we left.", "so did i. then we left."},
        EnglishReading{"DottedLetters",
                       "the U.S. Government in the U.S.A.",
                       "the u s government in the u s a."},
        EnglishReading{"Initialisms", "the FBI, a TV and NASA", "the f b i, a t v and nasa"},
        EnglishReading{"Headline", "THE END OF THE FBI", "the end of the fbi"},
        EnglishReading{"Ampersand", "R&D, &c. and A & B", "r and d, et cetera and a and b"},
        EnglishReading{"Address", "www.example.com", "w w w dot example dot com"},
        EnglishReading{"Mail", "me@example.com", "me at example dot com"},
        EnglishReading{"MissingSpace", "the end.The next", "the end. the next"},
        EnglishReading{"Hashtag", "#metoo", "hashtag metoo"},
        EnglishReading{"Contractions", "Don't, it's o'clock", "don't, it's o'clock"},
        EnglishReading{"Units",
                       "5km, 1 kg, 20°C, 10 mph",
                       "five kilometers, one kilogram, twenty degrees celsius, ten miles per hour"},
        EnglishReading{"Accents", "Café “naïve”", "cafe \"naive\""},
        EnglishReading{
            "Dashes", "which -- as he said - is — fine", "which — as he said — is — fine"},
        EnglishReading{"Ellipsis", "well... yes…", "well… yes…"}),
    english_case_name);

INSTANTIATE_TEST_SUITE_P(
    RomanNumerals,
    EnglishTest,
    testing::Values(
        EnglishReading{"King", "Charles I. was king", "charles the first was king"},
        EnglishReading{
            "KingEndsSentence", "It was Charles I. He fell.", "it was charles the first. he fell."},
        EnglishReading{"Possessive", "Henry VIII's wife", "henry the eighth's wife"},
        EnglishReading{"Throne", "King Edgar II", "king edgar the second"},
        EnglishReading{"Pronoun", "as to Charles I think so", "as to charles i think so"},
        EnglishReading{"Chapter", "Chapter IV. The Start", "chapter four. the start"},
        EnglishReading{"ChapterOne", "CHAPTER I", "chapter one"},
        EnglishReading{"War", "World War II", "world war two"},
        EnglishReading{"Century", "the XIX century", "the nineteenth century"},
        EnglishReading{"Sequel", "Rocky III", "rocky three"},
        EnglishReading{"Year", "in MCMXLV", "in nineteen forty-five"},
        EnglishReading{"NoNumeral", "a CD, the MIX and I", "a c d, the mix and i"}),
    english_case_name);

}  // namespace
}  // namespace qanat
