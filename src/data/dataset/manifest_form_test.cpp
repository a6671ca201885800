#include "dataset/manifest_form.h"

#include <string>

#include <gtest/gtest.h>

namespace qanat {
namespace {

struct FormCase {
  const char* name;
  const char* rows;
  ManifestForm form;
};

class ManifestFormTest : public testing::TestWithParam<FormCase> {};

TEST_P(ManifestFormTest, IsToldByWhatTheCellsHold) {
  EXPECT_EQ(manifest_form(GetParam().rows, '\n'), GetParam().form);
}

INSTANTIATE_TEST_SUITE_P(
    Rows,
    ManifestFormTest,
    testing::Values(
        FormCase{"TextsOfLjSpeech",
                 "a|In 1455, so.|In fourteen fifty-five, so.\nb|Dr. Who|Doctor Who\n",
                 ManifestForm::texts},
        FormCase{"SpeakersOfPiper",
                 "a|mary|Good day.\nb|john|Well then.\nc|mary|So it goes.\n",
                 ManifestForm::speaker_text},
        FormCase{"SpeakersByNumber",
                 "a|0|Good day.\nb|1|Well then.\nc|0|So it goes.\n",
                 ManifestForm::speaker_text},
        FormCase{"ASpeakerWithABlank",
                 "a|Mary Ann|Good day.\nb|Mary Ann|So it goes.\n",
                 ManifestForm::speaker_text},
        FormCase{"ASpeakerWhoIsSpokenOf",
                 "a|mary|Mary had a lamb.\nb|mary|Good day.\nc|john|So it goes.\n",
                 ManifestForm::speaker_text},
        FormCase{"SpeakersAndABrokenRow",
                 "a|mary|Good day.\nb\n\nc|mary|So it goes.\n",
                 ManifestForm::speaker_text},
        FormCase{"OneWordTexts", "a|Yes.|yes\nb|No.|no\nc|Yes!|yes\n", ManifestForm::texts},
        FormCase{"NumbersReadTheSameEveryTime",
                 "a|Nr. 21|twenty one\nb|5|five\nc|5|five\n",
                 ManifestForm::texts},
        FormCase{"AFourthColumn", "a|x|y|mary\nb|x|z\n", ManifestForm::texts},
        FormCase{"ASpeakerForEachRow",
                 "a|mary|Good day.\nb|john|Well then.\n",
                 ManifestForm::cannot_tell},
        FormCase{"ASingleRow", "a|mary|Good day.\n", ManifestForm::texts},
        FormCase{"PersianTexts", "a|سلام دنیا|سلام دنیا\nb|خوبی؟|خوبی\n", ManifestForm::texts},
        FormCase{"SpeakersOfStyleTts2",
                 "a.wav|Good day to you.|0\nb.wav|Well then.|1\nc.wav|So it goes.|0\n",
                 ManifestForm::text_speaker},
        FormCase{"OneSpeakerOfStyleTts2",
                 "a.wav|Good day to you.|0\nb.wav|Well then.|0\n",
                 ManifestForm::text_speaker},
        FormCase{"OneRowOfStyleTts2", "a.wav|Good day to you.|7\n", ManifestForm::text_speaker},
        FormCase{"SpeakerNamesAtTheEnd",
                 "a|Good day to you.|mary\nb|Well then, so it goes.|john\nc|So it is.|mary\n",
                 ManifestForm::text_speaker},
        FormCase{"SpeakersWhoAreSpokenOf",
                 "a|A day is a day.|a\nb|A house of stone.|a\nc|A word or two.|a\n",
                 ManifestForm::text_speaker},
        FormCase{"PhonesBeforeTheSpeaker",
                 "a|ɡʊd dˈeɪ|12\nb|wˈɛl ðˈɛn|12\nc|sˌoʊ ɪt ɡˈoʊz|3\n",
                 ManifestForm::text_speaker},
        FormCase{"TextsWithoutBlanksBeforeTheSpeaker",
                 "a|今天天气真好啊|lee\nb|我们明天去看海吧|lee\n",
                 ManifestForm::text_speaker},
        FormCase{"SentencesReadByAll",
                 "a|Good day to you.|p1\nb|Good day to you.|p2\n"
                 "c|Well then, so it is.|p1\nd|Well then, so it is.|p2\n",
                 ManifestForm::text_speaker},
        FormCase{"PersianTextsBeforeTheSpeaker",
                 "a|روز شما به خیر باشد|مریم\nb|خب پس این طور است|مریم\n",
                 ManifestForm::text_speaker},
        FormCase{"AStrayColumnInOneRow",
                 "a|Good day to you.|0\nb|Well then|so.|1|\nc|So it goes.|0\n",
                 ManifestForm::text_speaker},
        FormCase{"ASpeakerForEachRowAtTheEnd",
                 "a|Good day to you.|mary\nb|Well then, so it is.|john\n",
                 ManifestForm::cannot_tell},
        FormCase{
            "ReadingsThatRecur", "a|10|ten\nb|X|ten\nc|11|eleven\n", ManifestForm::cannot_tell},
        FormCase{"PhonesBesideTheText",
                 "a|Good day|ɡʊd dˈeɪ\nb|Well then|wˈɛl ðˈɛn\n",
                 ManifestForm::texts},
        FormCase{"ListOfGptSoVits",
                 "a.wav|mary|EN|Good day to you.\nb.wav|mary|EN|So it goes.\n",
                 ManifestForm::speaker_language_text},
        FormCase{"TextSpeakerAndLanguage",
                 "a|Good day to you.|mary|en\nb|So it goes, they say.|mary|en\n",
                 ManifestForm::text_speaker_language},
        FormCase{"ALabelNobodyKnows",
                 "a|Good day to you.|mary|very glad\nb|So it goes, they say.|mary|sad\n",
                 ManifestForm::cannot_tell},
        FormCase{"NormalisedTextAndSpeaker",
                 "a|In 1455, so.|In fourteen fifty-five, so.|mary\nb|Dr. Who|Doctor Who|mary\n",
                 ManifestForm::texts},
        FormCase{"NoNormalisedTextButASpeaker",
                 "a|Good day to you.||mary\nb|So it goes.||mary\n",
                 ManifestForm::texts},
        FormCase{"NoRows", "", ManifestForm::texts}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace qanat
