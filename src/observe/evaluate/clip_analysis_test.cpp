#include "evaluate/clip_analysis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "audio/wav_writer.h"
#include "evaluate/evaluate_testing.h"
#include "evaluate/pair_measures.h"

namespace qanat {
namespace {

std::filesystem::path own_folder(const std::string& name) {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::create_directories(folder);
  return folder;
}

// pysptk 1.0.1 and pyworld 0.3.5 as pymcd 0.2.1 calls them. WORLD adds noise of 1e-12 before the
// logarithm, which is why this is not closer.
TEST(ClipAnalysisTest, MelCepstraAgreeWithPysptk) {
  ClipAnalyser analyser;
  const std::array<std::size_t, 5> coefficients = {0, 1, 2, 6, 13};
  const std::array<double, 5> expected = {-6.176573, 4.728863, 1.948124, 0.219468, -0.041699};

  const ClipAnalysis clip = analyser.analyse(first_test_voice());

  ASSERT_EQ(clip.cepstra.size(), 280 * kMelCepstrumSize);
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    error = std::max(
        error,
        std::abs(clip.cepstra[100 * kMelCepstrumSize + coefficients.at(i)] - expected.at(i)));
  }
  EXPECT_LT(error, 2e-6);
}

TEST(ClipAnalysisTest, AShortFileIsAFailureThatSaysHowLongItIs) {
  const std::filesystem::path file = own_folder("ClipAnalysisShort") / "a.wav";
  write_wav(file, std::vector<float>(441), SampleRate{22050});

  const Result<ClipAnalysis> clip = ClipAnalyser().analyse(file);

  ASSERT_FALSE(clip);
  EXPECT_EQ(clip.failure().what, "20 ms long; expected at least 50 ms");
}

TEST(ClipAnalysisTest, ALongFileIsAFailure) {
  const std::filesystem::path file = own_folder("ClipAnalysisLong") / "a.wav";
  write_wav(file, std::vector<float>(std::size_t{121} * 8000), SampleRate{8000});

  EXPECT_FALSE(ClipAnalyser().analyse(file));
}

// pymcd 0.2.1, mode dtw; F0 along the same path from pyworld 0.3.5.
TEST(PairMeasuresTest, AgreeWithPymcdAndPyworld) {
  ClipAnalyser analyser;
  const ClipAnalysis first = analyser.analyse(first_test_voice());
  const ClipAnalysis second = analyser.analyse(second_test_voice());

  const PairMeasures measures = compare_clips(first, second);

  EXPECT_NEAR(measures.mcd, 2.862880028095205, 1e-6);
  EXPECT_NEAR(measures.pitch_hertz.value(), 15.050935856680546, 1e-6);
  EXPECT_NEAR(measures.pitch_cents.value(), 151.63432506806004, 1e-6);
  EXPECT_NEAR(measures.voicing_error, 0.0443213296398892, 1e-12);
  EXPECT_NEAR(measures.duration_error, 0.1, 1e-3);
  EXPECT_GT(measures.log_mel, 0.1);
}

TEST(PairMeasuresTest, AClipIsNoDistanceFromItself) {
  const ClipAnalysis clip = ClipAnalyser().analyse(first_test_voice());

  const PairMeasures measures = compare_clips(clip, clip);

  EXPECT_EQ(measures.mcd, 0);
  EXPECT_EQ(measures.pitch_hertz, 0);
  EXPECT_EQ(measures.voicing_error, 0);
  EXPECT_EQ(measures.duration_error, 0);
  EXPECT_EQ(measures.log_mel, 0);
}

TEST(PairMeasuresTest, WithoutAVoiceThereIsNoPitchError) {
  ClipAnalyser analyser;
  const ClipAnalysis silence = analyser.analyse(std::vector<float>(22050));

  const PairMeasures measures = compare_clips(silence, analyser.analyse(first_test_voice()));

  EXPECT_EQ(measures.pitch_hertz, std::nullopt);
  EXPECT_EQ(measures.pitch_cents, std::nullopt);
  EXPECT_GT(measures.voicing_error, 0.1);
}

}  // namespace
}  // namespace qanat
