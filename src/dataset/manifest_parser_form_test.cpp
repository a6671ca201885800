#include <string>

#include <gtest/gtest.h>

#include "dataset/manifest_parser.h"

namespace qanat {
namespace {

struct FormCase {
  const char* name;
  const char* rows;
  ManifestForm form;
};

class ManifestFormTest : public testing::TestWithParam<FormCase> {};

TEST_P(ManifestFormTest, IsToldByWhatTheCellsHold) {
  EXPECT_EQ(three_column_form(GetParam().rows, '\n'), GetParam().form);
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
                 ManifestForm::speakers},
        FormCase{"SpeakersByNumber",
                 "a|0|Good day.\nb|1|Well then.\nc|0|So it goes.\n",
                 ManifestForm::speakers},
        FormCase{"ASpeakerWithABlank",
                 "a|Mary Ann|Good day.\nb|Mary Ann|So it goes.\n",
                 ManifestForm::speakers},
        FormCase{"ASpeakerWhoIsSpokenOf",
                 "a|mary|Mary had a lamb.\nb|mary|Good day.\nc|john|So it goes.\n",
                 ManifestForm::speakers},
        FormCase{"SpeakersAndABrokenRow",
                 "a|mary|Good day.\nb\n\nc|mary|So it goes.\n",
                 ManifestForm::speakers},
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
        FormCase{"NoRows", "", ManifestForm::texts}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace qanat
