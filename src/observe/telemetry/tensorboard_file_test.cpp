#include "telemetry/tensorboard_file.h"

#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "audio/wav_writer.h"
#include "base/error.h"

namespace qanat {
namespace {

std::filesystem::path fresh_folder() {
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return hex;
}

std::string contents(const std::filesystem::path& path) {
  return read_text_file(path).value();
}

// The messages of a file whose lengths and checksums are right.
std::vector<std::string> records_of(const std::filesystem::path& path) {
  const std::string file = contents(path);
  std::vector<std::string> records;
  for (std::size_t at = 0; at < file.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + at, 8);
    std::uint32_t crc = 0;
    std::memcpy(&crc, file.data() + at + 8, 4);
    EXPECT_EQ(crc, masked_crc32c(std::string_view(file).substr(at, 8)));
    records.push_back(file.substr(at + 12, length));
    std::memcpy(&crc, file.data() + at + 12 + length, 4);
    EXPECT_EQ(crc, masked_crc32c(records.back()));
    at += 16 + length;
  }
  return records;
}

TEST(Crc32cTest, IsTheCastagnoliOne) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(masked_crc32c("123456789"), 0xc78ab0e5U);
}

TEST(TensorBoardFileTest, BeginsWithTheVersionToTheByte) {
  const TensorBoardFile file(fresh_folder(), 1.0);

  EXPECT_EQ(to_hex(contents(file.path())),
            "1800000000000000a37f4b2209000000000000f03f1a0d627261696e2e4576656e743a3286bf577a");
}

TEST(TensorBoardFileTest, ItsNameIsOneThatTensorBoardLooksFor) {
  const std::filesystem::path folder = fresh_folder();

  const TensorBoardFile first(folder, 1.5);
  const TensorBoardFile second(folder, 1.5);

  EXPECT_THAT(first.path().filename().string(),
              testing::StartsWith("events.out.tfevents.0000000001."));
  EXPECT_NE(first.path(), second.path());
}

TEST(TensorBoardFileTest, ScalarsAreFloatsByTag) {
  TensorBoardFile file(fresh_folder(), 1.0);

  file.put_scalars({.step = 300, .wall = 2.0}, {{"loss/mel", 0.5}});
  file.flush();

  const std::vector<std::string> records = records_of(file.path());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(to_hex(records[1]),
            "09"
            "0000000000000040"  // wall_time 2.0
            "10"
            "ac02"  // step 300
            "2a"
            "11"
            "0a"
            "0f"  // summary, value
            "0a"
            "08"
            "6c6f73732f6d656c"  // tag
            "15"
            "0000003f");  // 0.5
}

TEST(TensorBoardFileTest, NothingIsWrittenBeforeAFlush) {
  TensorBoardFile file(fresh_folder(), 1.0);

  file.put_session_start({.step = 3, .wall = 2.0});

  EXPECT_EQ(records_of(file.path()).size(), 1u);
  file.flush();
  EXPECT_EQ(records_of(file.path()).size(), 2u);
}

TEST(TensorBoardFileTest, SoundPicturesAndTextAreWholeFilesInside) {
  TensorBoardFile file(fresh_folder(), 1.0);
  const std::vector<std::int16_t> samples(100, 7);
  const std::vector<std::byte> wav = encode_wav(samples, SampleRate{22050});
  const std::string_view sound(reinterpret_cast<const char*>(wav.data()), wav.size());
  const std::string picture =
      std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\0P", 24) + "rest";

  file.put_wav({.step = 1, .wall = 2.0}, "sound", sound);
  file.put_png({.step = 1, .wall = 2.0}, "picture", picture);
  file.put_markdown({.step = 1, .wall = 2.0}, "verdict", "**good**");
  file.flush();

  const std::vector<std::string> records = records_of(file.path());
  ASSERT_EQ(records.size(), 4u);
  EXPECT_THAT(records[1], testing::HasSubstr(std::string(sound)));
  EXPECT_THAT(to_hex(records[2]), testing::HasSubstr("0850108002"));  // 80 high, 256 wide
  EXPECT_THAT(records[2], testing::HasSubstr(picture));
  EXPECT_THAT(records[3], testing::HasSubstr("**good**"));
}

TEST(TensorBoardFileTest, WhatIsNoSoundOrPictureIsRefused) {
  TensorBoardFile file(fresh_folder(), 1.0);

  EXPECT_THROW(file.put_wav({}, "sound", "not a wav"), Error);
  EXPECT_THROW(file.put_png({}, "picture", "not a png"), Error);
}

TEST(TensorBoardFileTest, AFolderThatCannotBeMadeIsNamed) {
  try {
    const TensorBoardFile file("/proc/nowhere", 1.0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/proc/nowhere"));
  }
}

}  // namespace
}  // namespace qanat
