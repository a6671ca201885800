#include "features/mel_image.h"

#include <gmock/gmock.h>
#include <png.h>

namespace qanat {
namespace {

struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<png_byte> grey;

  int at(std::size_t x, std::size_t y) const { return grey[y * width + x]; }
};

Picture decode(std::span<const std::byte> file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0);
  image.format = PNG_FORMAT_GRAY;
  Picture picture{.width = image.width, .height = image.height};
  picture.grey.resize(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.grey.data(), 0, nullptr), 0);
  return picture;
}

constexpr MelImageOptions kPixels{.frame_width = 1, .band_height = 1};

TEST(MelImageTest, HasTheSizeOfTheSpectrogram) {
  const std::vector<float> mel(std::size_t{5} * 80, -3.0F);

  const Picture picture = decode(encode_mel_image(mel, 80));

  EXPECT_EQ(picture.width, 10);
  EXPECT_EQ(picture.height, 320);
}

TEST(MelImageTest, TimeGoesRightAndLowBandsAreAtTheBottom) {
  std::vector<float> mel(std::size_t{3} * 2, -11.6F);  // [3 frames, 2 bands]
  mel[2 * 2 + 0] = 0.5F;                               // last frame, lowest band

  const Picture picture = decode(encode_mel_image(mel, 2, kPixels));

  EXPECT_GT(picture.at(2, 1), 200);
  EXPECT_LT(picture.at(2, 0), 20);
  EXPECT_LT(picture.at(0, 1), 20);
}

TEST(MelImageTest, LouderIsBrighter) {
  std::vector<float> mel;
  mel.reserve(64);
  for (int i = 0; i < 64; ++i) {
    mel.push_back(-11.5F + 0.195F * static_cast<float>(i));
  }

  const Picture picture = decode(encode_mel_image(mel, 1, kPixels));

  EXPECT_TRUE(std::is_sorted(picture.grey.begin(), picture.grey.end()));
  EXPECT_GT(picture.grey.back(), picture.grey.front() + 200);
}

TEST(MelImageTest, WhatIsNoNumberIsDark) {
  const std::vector<float> mel = {std::numeric_limits<float>::quiet_NaN()};

  EXPECT_LT(decode(encode_mel_image(mel, 1, kPixels)).at(0, 0), 20);
}

}  // namespace
}  // namespace qanat
