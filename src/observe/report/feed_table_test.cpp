#include "report/feed_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/demo_sample.h"

namespace qanat {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(FeedTableTest, NamesTheDeviceForWhatItIsAndHasALineForEveryMode) {
  const std::string text = render_text(to_document(fed_table()));

  EXPECT_THAT(text, HasSubstr("a paced virtual GPU: a step takes 45 ms and no host core"));
  EXPECT_THAT(text, HasSubstr("  22.1         99 %      0.1 %        100 %   0.30\n"));

  EXPECT_THAT(text, HasSubstr("slow storage: every file answers 2 ms late"));
  EXPECT_THAT(text, ContainsRegex("Single-GPU Buffered: 1.99x .* the steps per second of serial"));
}

TEST(FeedTableTest, ASkippedRowSaysWhy) {
  EXPECT_THAT(render_text(to_document(fed_table())),
              HasSubstr("DataLoader, 2 workers: skipped: python3 has no module torch"));
  const auto skipped = to_json(fed_table())["storage"][0]["modes"][2];
  EXPECT_TRUE(skipped["steps_per_s"].is_null());
  EXPECT_TRUE(skipped["over_first"].is_null());
}

TEST(FeedTableTest, BesideOtherProgramsThereIsNoRatio) {
  const FeedTable busy = fed_table(0.5);

  EXPECT_THAT(render_text(to_document(busy)), Not(HasSubstr("1.99x")));
  EXPECT_THAT(render_text(to_document(busy)),
              HasSubstr("Single-GPU Buffered: no ratio: other programs took"));
  EXPECT_TRUE(to_json(busy)["storage"][0]["modes"][1]["over_first"]["ratio"].is_null());
}

TEST(FeedTableTest, TheChartHasABarForEveryModeAndStorageAndThePaceOfTheDevice) {
  const std::optional<Figure> figure = feed_figure(fed_table(), Translator());

  ASSERT_TRUE(figure.has_value());
  EXPECT_EQ(figure->legend.size(), 2U);
  std::size_t bars = 0;
  for (std::size_t at = 0; (at = figure->chart.find("<rect", at)) != std::string::npos; ++at) {
    ++bars;
  }
  EXPECT_EQ(bars, 4U);
  EXPECT_THAT(figure->chart, HasSubstr("the device&#39;s own pace"));
}

TEST(FeedTableTest, ALoaderWithOtherWorkersForSlowStorageHasOneRowOfTheChart) {
  FeedTable table = fed_table();
  for (std::size_t i = 0; i < table.parts.size(); ++i) {
    FeedRow& loader = table.parts[i].rows.back();
    loader = fed("PyTorch DataLoader, " + std::to_string(2 + i) + " workers", 12, 0.4);
    loader.chart_name = "PyTorch DataLoader";
  }

  const std::string chart = feed_figure(table, Translator())->chart;

  EXPECT_THAT(chart, HasSubstr(">PyTorch DataLoader</text>"));
  EXPECT_EQ(chart.find(">PyTorch DataLoader</text>"), chart.rfind(">PyTorch DataLoader</text>"));
  EXPECT_THAT(chart, HasSubstr("<title>PyTorch DataLoader, 3 workers: 12.0</title>"));
}

TEST(FeedTableTest, WithoutAnythingMeasuredThereIsNoChart) {
  EXPECT_FALSE(feed_figure(FeedTable{}, Translator()).has_value());
}

TEST(FeedTableTest, ThePageSpeaksPersian) {
  for (const double others : {0.01, 0.5}) {
    const std::string page = render_sections(fed_table(others), Translator(Language::fa));

    for (const char* english : {"paced virtual GPU",
                                "steps per second",
                                "batch ready",
                                "slow storage",
                                "warm files",
                                "skipped",
                                "no ratio",
                                "own pace",
                                "of its pace"}) {
      EXPECT_THAT(page, Not(HasSubstr(english)));
    }
  }
}

}  // namespace
}  // namespace qanat
