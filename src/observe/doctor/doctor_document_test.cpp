#include "doctor/doctor_document.h"

#include <gmock/gmock.h>

#include "doctor/doctor_testing.h"
#include "doctor/examine_set.h"

namespace qanat {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A set with one clip that is silent for three seconds, and a text that tries to be HTML.
class DoctorDocumentTest : public DoctorTest {
 protected:
  DoctorReport report() {
    add_usual_but(0);
    FakeSpeech how = usual(0);
    how.silence = 1.5;
    add(0, fake_speech(how), "<b>" + text(0));
    write_manifest();
    return *examine_set({.manifest = {.data = root_, .language = {}, .text = TextUse::kept}});
  }
};

TEST_F(DoctorDocumentTest, TextNamesRuleClipAndWhatAViewDoes) {
  EXPECT_THAT(render_text(to_document(report(), 20)),
              AllOf(HasSubstr("DOC003"), HasSubstr("c000"), HasSubstr("trim")));
}

TEST_F(DoctorDocumentTest, JsonHasEveryFindingAndTheFiguresOfEveryClip) {
  const nlohmann::ordered_json json = render_json(to_document(report()));

  EXPECT_EQ(json.at("schema"), "qanat.doctor");
  EXPECT_EQ(json.at("clips").size(), static_cast<std::size_t>(kClips));
  bool is_found = false;
  for (const auto& finding : json.at("findings")) {
    if (finding.at("rule") == "DOC003" && finding.at("id") == "c000") {
      is_found = true;
      EXPECT_EQ(finding.at("action"), "trim");
      EXPECT_NEAR(finding.at("keep_s").at(0).get<double>(), 1.33, 0.06);
    }
  }
  EXPECT_TRUE(is_found);
  EXPECT_FALSE(json.at("skipped").empty()) << "nobody listened";
}

TEST_F(DoctorDocumentTest, PagesPlayAndShowTheClipsAndEscapeTheirTexts) {
  const std::string page = render_html(report(), root_ / "page.html", Translator());

  EXPECT_THAT(page,
              AllOf(HasSubstr("src=\"wavs/c000.wav\""),
                    HasSubstr("data:image/png;base64,"),
                    HasSubstr("class=\"cut\""),
                    HasSubstr("img-src 'self' data:"),
                    HasSubstr("&lt;b&gt;"),
                    Not(HasSubstr("<b>"))));
}

TEST_F(DoctorDocumentTest, PersianPagesRunFromRightToLeft) {
  EXPECT_THAT(render_html(report(), root_ / "page.html", Translator(Language::fa)),
              AllOf(HasSubstr("dir=\"rtl\""), HasSubstr("سکوت طولانی")));
}

}  // namespace
}  // namespace qanat
