#include "dataset/data_view.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "dataset/dataset_testing.h"
#include "dataset/training_sets.h"
#include "locale/message_error.h"
#include "locale/translator.h"

namespace qanat {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kView =
    "\xEF\xBB\xBF# comment\r\n"
    "drop\tu1\tDOC005, DOC012\tbegins at full voice\r\n"
    "\n"
    "trim\tu2\tDOC003\t0.25 0.75 1.0\tsilence\n"
    "check\tu2\tDOC008\tloud\n";

std::string why(std::string_view text) {
  const Result<DataView> view = parse_view(text);
  return view ? std::string() : Translator().said(reason_of(view.failure()));
}

TEST(DataViewTest, ReadsWhatItWrites) {
  const Result<DataView> view = parse_view(kView);
  ASSERT_TRUE(view);
  ASSERT_EQ(view.value().lines.size(), 3U);
  EXPECT_EQ(view.value().lines[0].rules, "DOC005, DOC012");
  EXPECT_EQ(view.value().lines[1].kept,
            (KeptPart{.from = Seconds(0.25), .to = Seconds(0.75), .of = Seconds(1)}));

  const Result<DataView> again = parse_view(to_text(view.value(), {"one", ""}));

  ASSERT_TRUE(again);
  ASSERT_EQ(again.value().lines.size(), 3U);
  EXPECT_EQ(again.value().lines[2].why, "loud");
  EXPECT_EQ(again.value().lines[1].kept, view.value().lines[1].kept);
}

struct BadView {
  const char* text;
  const char* why;
};
class DataViewRefusalTest : public testing::TestWithParam<BadView> {};

TEST_P(DataViewRefusalTest, NamesLineAndReason) {
  EXPECT_THAT(why(GetParam().text), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    DataViewRefusalTest,
    testing::Values(BadView{"delete\tu1\n", "line 1: begins with delete"},
                    BadView{"drop\n", "line 1: no id"},
                    BadView{"# x\ntrim\tu1\tDOC003\tnone\t\n", "line 2: what to keep: none"},
                    BadView{"trim\tu1\tDOC003\t0.5 0.2 1\t\n", "three numbers"},
                    BadView{"trim\tu1\tDOC003\t0 2 1\t\n", "three numbers"},
                    BadView{"trim\tu1\tDOC003\tnan 2 1\t\n", "three numbers"},
                    BadView{"drop\tu1\tA\t\ntrim\tu1\tB\t0 1 1\t\n", "line 2: u1 is dropped"},
                    BadView{"drop\t\xff\tA\t\n", "not UTF-8"}));

// Five clips of one second.
class DataViewSetTest : public testing::Test {
 protected:
  DataViewSetTest() {
    std::string rows;
    for (const char* const id : {"u0", "u1", "u2", "u3", "u4"}) {
      set_.add_audio(std::string("wavs/") + id + ".wav");
      rows += std::string(id) + "|text of " + id + '\n';
    }
    set_.write("metadata.csv", rows);
  }

  std::filesystem::path view(std::string_view text) const {
    set_.write("view.tsv", text);
    return set_.root() / "view.tsv";
  }

  UtteranceSet load(std::string_view text) const {
    TrainingSetOptions options{.view = view(text)};
    options.index.cache_folders = {set_.root() / "cache"};
    const IndexSources sources{
        .probe_length = [](const std::filesystem::path&) -> Result<SampleCount> {
          return SampleCount{22050};
        },
        .count_tokens = [](const Utterance&) -> Result<TokenCount> { return TokenCount{5}; }};
    return *load_utterance_set(set_.root(), options, sources);
  }

  static std::vector<std::string> ids(const UtteranceSet& set) {
    std::vector<std::string> names;
    for (const Utterance& utterance : set.manifest.utterances) {
      names.push_back(utterance.id);
    }
    return names;
  }

  DatasetFolder set_;
};

TEST_F(DataViewSetTest, LeavesRowsOutAndMeasuresWhatIsKept) {
  const UtteranceSet set = load(kView);

  EXPECT_THAT(ids(set), ElementsAre("u0", "u2", "u3", "u4"));
  EXPECT_EQ(set.index.entries[0].samples, SampleCount{22050});
  EXPECT_EQ(set.index.entries[1].samples.value, 16538 - 5513);  // 0.25 s and 0.75 s, rounded
  EXPECT_EQ(first_sample(set.manifest.utterances[1], SampleRate{22050}).value, 5513);
  ASSERT_EQ(set.index.origin.notes.size(), 1U);
  EXPECT_THAT(Translator().said(set.index.origin.notes[0]),
              HasSubstr("1 rows are left out, 1 clips are trimmed"));
}

TEST_F(DataViewSetTest, WithoutTheViewTheLengthsAreThoseOfTheClips) {
  load(kView);  // with the same cache

  const UtteranceSet set = load("check\tu0\tDOC008\t\n");

  EXPECT_EQ(ids(set).size(), 5U);
  for (const IndexEntry& entry : set.index.entries) {
    EXPECT_EQ(entry.samples, SampleCount{22050});
  }
}

TEST_F(DataViewSetTest, SaysWhichLinesAreAboutNoRow) {
  const UtteranceSet set = load("drop\tu1\tA\t\ndrop\tnobody\tA\t\n");

  ASSERT_EQ(set.index.origin.notes.size(), 2U);
  EXPECT_THAT(Translator().said(set.index.origin.notes[1]), HasSubstr("nobody"));
}

TEST_F(DataViewSetTest, RefusesTheViewOfAnotherSet) {
  EXPECT_THROW(load("drop\tnobody\tA\t\n"), Error);
}

TEST_F(DataViewSetTest, RefusesToLeaveNothing) {
  EXPECT_THROW(load("drop\tu0\t\t\ndrop\tu1\t\t\ndrop\tu2\t\t\ndrop\tu3\t\t\ndrop\tu4\t\t\n"),
               Error);
}

TEST_F(DataViewSetTest, RefusesAFileThatIsNotThere) {
  TrainingSetOptions options{.view = set_.root() / "absent.tsv"};

  EXPECT_THROW(load_utterance_set(set_.root(), options, {}), Error);
}

TEST_F(DataViewSetTest, AClipOfAnotherLengthIsNotTrimmedBlindly) {
  const UtteranceSet set = load("trim\tu2\tDOC003\t0.25 0.75 1.5\t\n");

  EXPECT_EQ(ids(set).size(), 4U);
  ASSERT_EQ(set.manifest.problems.size(), 1U);
  EXPECT_EQ(set.manifest.problems[0].kind, ProblemKind::changed_since_view);
}

}  // namespace
}  // namespace qanat
