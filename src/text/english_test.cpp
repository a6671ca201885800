#include "text/english.h"

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

class EnglishTest : public testing::TestWithParam<Reading> {};

TEST_P(EnglishTest, IsReadAsSpoken) {
  EXPECT_EQ(normalise_text(GetParam().raw, Language::en), GetParam().spoken);
}

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    EnglishTest,
    testing::Values(
        Reading{"Small", "It took 3 to 4 minutes.", "it took three to four minutes."},
        Reading{"Grouped",
                "1,234,567 people",
                "one million two hundred thirty-four thousand five hundred sixty-seven people"},
        Reading{"Decimal",
                "3.14 and 0.5 and .5",
                "three point one four and zero point five and point five"},
        Reading{"Version", "version 1.2.3", "version one point two point three"},
        Reading{"Negative", "-5 degrees (-3)", "minus five degrees (minus three)"},
        Reading{"Ordinals",
                "1st, 2nd, 3rd, 22nd, 1,000th",
                "first, second, third, twenty-second, one thousandth"},
        Reading{"CapitalOrdinal", "the 21ST", "the twenty-first"},
        Reading{"Percent", "25% or 3.5 %", "twenty-five percent or three point five percent"},
        Reading{"Fractions",
                "1/2, 3/4, 2/3, 5/3",
                "one half, three quarters, two thirds, five over three"},
        Reading{"MixedFractions",
                "2 1/2 miles, 1¾ cups",
                "two and a half miles, one and three quarters cups"},
        Reading{"RoundTheClock", "24/7", "twenty-four seven"},
        Reading{"Ranges",
                "pages 10-12, 1914–1918",
                "pages ten to twelve, nineteen fourteen to nineteen eighteen"},
        Reading{"Ratio", "3:1", "three to one"},
        Reading{"LeadingZeros", "agent 007", "agent zero zero seven"},
        Reading{"CardNumber", "4111111111", "four one one one one one one one one one"},
        Reading{"RoundMillions", "1000000", "one million"},
        Reading{"BeyondEighteenDigits",
                "1234567890123456789",
                "one two three four five six seven eight nine zero one two three four five six "
                "seven eight nine"},
        Reading{"Glued", "mp3 3D H2O COVID-19", "mp three three d h two o covid-nineteen"},
        Reading{"Compound", "a 35-year-old", "a thirty-five-year-old"},
        Reading{"List", "(1) first (2) second", "(one) first (two) second"},
        Reading{"OtherDigits", "I paid ۵۰ and ٢٠ dollars", "i paid fifty and twenty dollars"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Years,
    EnglishTest,
    testing::Values(
        Reading{"Plain", "of about 1455,", "of about fourteen fifty-five,"},
        Reading{"Hundred", "in 1900", "in nineteen hundred"},
        Reading{"TwoThousands", "2005 and 2024", "two thousand five and twenty twenty-four"},
        Reading{"Decades",
                "the 1980s, the '80s and the 1800's",
                "the nineteen eighties, the eighties and the eighteen hundreds"},
        Reading{"ShortYear", "in '63", "in sixty-three"},
        Reading{"GroupedIsNoYear", "1,900 men", "one thousand nine hundred men"},
        Reading{"UnitIsNoYear", "1500 km", "one thousand five hundred kilometers"},
        Reading{"MonthFirst", "November 22, 1963", "november twenty-second, nineteen sixty-three"},
        Reading{
            "DayFirst", "22 November 1963", "the twenty-second of november nineteen sixty-three"},
        Reading{"DayFirstWithArticle", "the 22 November", "the twenty-second of november"},
        Reading{"ShortMonth", "Nov. 22", "november twenty-second"},
        Reading{"Numeric",
                "5/12/2024 and 25/12/2024",
                "may twelfth, twenty twenty-four and december twenty-fifth, twenty twenty-four"},
        Reading{"Iso", "2024-05-12", "may twelfth, twenty twenty-four"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Money,
    EnglishTest,
    testing::Values(Reading{"DollarsAndCents",
                            "$1,234.50",
                            "one thousand two hundred thirty-four dollars and fifty cents"},
                    Reading{
                        "One", "$1, $1.01, £1", "one dollar, one dollar and one cent, one pound"},
                    Reading{"CentsOnly", "$0.50 and 50¢", "fifty cents and fifty cents"},
                    Reading{"NoCents", "$5.00", "five dollars"},
                    Reading{"Pounds", "£5 and £1.50", "five pounds and one pound and fifty pence"},
                    Reading{"Euros", "€20, 20 €", "twenty euros, twenty euros"},
                    Reading{"Million",
                            "$2 million and $2.5bn",
                            "two million dollars and two point five billion dollars"},
                    Reading{"Range",
                            "$5-10 and $100-$200",
                            "five to ten dollars and one hundred dollars to two hundred dollars"},
                    Reading{"Negative", "-$5", "minus five dollars"},
                    Reading{"OddCents", "$1.5", "one point five dollars"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Times,
    EnglishTest,
    testing::Values(Reading{"HalfPast", "at 10:30", "at ten thirty"},
                    Reading{"OhFive", "10:05", "ten oh five"},
                    Reading{"FullHour", "10:00", "ten o'clock"},
                    Reading{"FullHourPm", "10:00 p.m. sharp", "ten p m sharp"},
                    Reading{"Pm", "1:22 p.m., the time", "one twenty-two p m, the time"},
                    Reading{"PmEndsSentence",
                            "at 5 p.m. We left at 6 a.m.",
                            "at five p m. we left at six a m."},
                    Reading{"PlainPm", "5 PM, 5pm", "five p m, five p m"},
                    Reading{"Military", "13:00", "thirteen hundred"},
                    Reading{"Seconds", "10:30:15", "ten thirty and fifteen seconds"},
                    Reading{"OClock", "a 1 o'clock train", "a one o'clock train"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Phones,
    EnglishTest,
    testing::Values(
        Reading{"Local", "555-1234", "five five five, one two three four"},
        Reading{"Area", "(212) 555-1234", "two one two, five five five, one two three four"},
        Reading{"TollFree",
                "1-800-555-1234",
                "one, eight zero zero, five five five, one two three four"},
        Reading{"International",
                "+1 212 555 1234",
                "plus one, two one two, five five five, one two three four"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Words,
    EnglishTest,
    testing::Values(
        Reading{"Titles",
                "Mr. Smith, Mrs. Jones and Dr. Brown",
                "mister smith, missus jones and doctor brown"},
        Reading{"WithoutStop", "Mr Smith", "mister smith"},
        Reading{"Ranks", "Maj. Gen. Lee", "major general lee"},
        Reading{"SaintOrStreet",
                "St. Paul and Elm St. in Dallas",
                "saint paul and elm street in dallas"},
        Reading{"HouseNumber", "411 Main St. Dallas", "four hundred eleven main street. dallas"},
        Reading{"Drive", "on Oak Dr. today", "on oak drive today"},
        Reading{"Company",
                "the Transit Co. and J. Smith Jr.",
                "the transit company and j smith junior."},
        Reading{"EtCetera", "psalters, etc., produced", "psalters, et cetera, produced"},
        Reading{"ThatIs", "i.e. the letter, e.g., that", "that is the letter, for example, that"},
        Reading{"Versus", "him vs. her", "him versus her"},
        Reading{"NumberSign", "No. 5 and #7", "number five and number seven"},
        Reading{"NoIsAWord", "She said no. Then left.", "she said no. then left."},
        Reading{"Initials", "J. D. Tippit", "j d tippit"},
        Reading{"PronounKeepsItsStop", "So did I. Then we left.", "so did i. then we left."},
        Reading{"DottedLetters",
                "the U.S. Government in the U.S.A.",
                "the u s government in the u s a."},
        Reading{"Initialisms", "the FBI, a TV and NASA", "the f b i, a t v and nasa"},
        Reading{"Headline", "THE END OF THE FBI", "the end of the fbi"},
        Reading{"Ampersand", "R&D, &c. and A & B", "r and d, et cetera and a and b"},
        Reading{"Address", "www.example.com", "www dot example dot com"},
        Reading{"Mail", "me@example.com", "me at example dot com"},
        Reading{"MissingSpace", "the end.The next", "the end. the next"},
        Reading{"Hashtag", "#metoo", "hashtag metoo"},
        Reading{"Contractions", "Don't, it's o'clock", "don't, it's o'clock"},
        Reading{"Units",
                "5km, 1 kg, 20°C, 10 mph",
                "five kilometers, one kilogram, twenty degrees celsius, ten miles per hour"},
        Reading{"Accents", "Café “naïve”", "cafe \"naive\""},
        Reading{"Dashes", "which -- as he said - is — fine", "which — as he said — is — fine"},
        Reading{"Ellipsis", "well... yes…", "well… yes…"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    RomanNumerals,
    EnglishTest,
    testing::Values(Reading{"King", "Charles I. was king", "charles the first was king"},
                    Reading{"KingEndsSentence",
                            "It was Charles I. He fell.",
                            "it was charles the first. he fell."},
                    Reading{"Possessive", "Henry VIII's wife", "henry the eighth's wife"},
                    Reading{"Throne", "King Edgar II", "king edgar the second"},
                    Reading{"Pronoun", "as to Charles I think so", "as to charles i think so"},
                    Reading{"Chapter", "Chapter IV. The Start", "chapter four. the start"},
                    Reading{"ChapterOne", "CHAPTER I", "chapter one"},
                    Reading{"War", "World War II", "world war two"},
                    Reading{"Century", "the XIX century", "the nineteenth century"},
                    Reading{"Sequel", "Rocky III", "rocky three"},
                    Reading{"Year", "in MCMXLV", "in nineteen forty-five"},
                    Reading{"NoNumeral", "a CD, the MIX and I", "a c d, the mix and i"}),
    name_of);

}  // namespace
}  // namespace qanat
