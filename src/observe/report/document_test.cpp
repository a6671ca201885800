#include "report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "locale/messages/demo.h"
#include "locale/messages/full_diagnosis.h"
#include "locale/messages/profiles.h"
#include "report/document_words.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Section loader_facts() {
  return {.key = "loader",
          .title = msg::diagnose_loader{},
          .facts = {{.key = "first_s", .name = msg::loader_first{}, .value = in_seconds(0.05)},
                    {.key = "padding", .name = msg::profile_padding{}},
                    {.key = "queue",
                     .name = msg::profile_queue{},
                     .parts = {{.key = "empty", .name = msg::profile_queue_empty{}, .value = 3},
                               {.key = "exact", .value = figure_of(true)}}},
                    {.name = msg::profile_variation{},
                     .parts = {{.key = "cv", .value = in_percent(0.25)}}}}};
}

TEST(DocumentTest, FactsStandInColumnsAndWhatIsNotKnownSaysSo) {
  EXPECT_EQ(render_text(loader_facts()),
            "LOADER\n"
            "  first batch  50 ms\n"
            "  padding      unknown\n"
            "  queue        empty 3\n"
            "  variation    25 %\n");
}

TEST(DocumentTest, JsonHasWhatHasAKeyInSiUnits) {
  const nlohmann::ordered_json json = render_json(Document{.sections = {loader_facts()}});

  EXPECT_EQ(json["loader"]["first_s"], 0.05);
  EXPECT_TRUE(json["loader"]["padding"].is_null());
  EXPECT_EQ(json["loader"]["queue"]["empty"], 3);
  EXPECT_EQ(json["loader"]["queue"]["exact"], true);
  EXPECT_EQ(json["loader"]["cv"], 0.25) << "parts without a key of their own stand beside others";
}

TEST(DocumentTest, LinesForProgramsAreEnglish) {
  EXPECT_THAT(
      english_lines(loader_facts()),
      ElementsAre("first batch: 50 ms", "padding: unknown", "queue: empty 3", "variation: 25 %"));
}

Section small_table() {
  return {
      .key = "modes",
      .tables = {{.key = "rows",
                  .columns = {{.key = "mode", .name = msg::modes_mode{}, .kind = CellKind::text},
                              {.key = "rate", .name = msg::modes_rate{}},
                              {.key = "hidden"}},
                  .rows = {{.cells = {"a <b>", plain(1.5, 2), 7}, .link = "a/b.html"},
                           {.cells = {"long name", {}, 8}}}}}};
}

TEST(DocumentTest, ColumnsAreAsWideAsWhatTheyHold) {
  EXPECT_EQ(render_text(small_table()),
            "mode       steps/s\n"
            "a <b>         1.50\n"
            "long name        -\n");
}

TEST(DocumentTest, TablesAreArraysOfObjects) {
  const nlohmann::ordered_json rows = render_json(small_table())["rows"];

  EXPECT_EQ(rows[0]["rate"], 1.5);
  EXPECT_TRUE(rows[1]["rate"].is_null());
  EXPECT_EQ(rows[1]["hidden"], 8);
}

TEST(DocumentTest, PagesEscapeWhatTheyShowAndHideWhatIsForPrograms) {
  const std::string html = render_html(small_table(), Translator());

  EXPECT_THAT(html, HasSubstr("<a href=\"a/b.html\">a &lt;b&gt;</a>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\"><bdi>1.50</bdi></td>"));
  EXPECT_THAT(html, Not(HasSubstr("hidden")));
}

TEST(DocumentTest, MarksTakeNoColumn) {
  EXPECT_EQ(display_width("batch"), 5U);
  EXPECT_EQ(display_width("\u2068p50\u2069"), 3U);
  EXPECT_EQ(display_width("نیمه\u200Cپر"), 6U);
  EXPECT_EQ(display_width("دورهٔ"), 4U);
}

TEST(DocumentTest, PersianSaysTheSame) {
  EXPECT_THAT(render_text(loader_facts(), Translator(Language::fa)),
              HasSubstr("صف           خالی ۳\n"));
}

}  // namespace
}  // namespace qanat
