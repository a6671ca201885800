#include "locale/message_error.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/value_or_throw.h"

namespace qanat {
namespace {

using testing::HasSubstr;

std::string in_persian(const MessageArg& reason) {
  return Translator(Language::fa).said(reason);
}

TEST(MessageErrorTest, AFileThatIsNotThereIsSaidInEveryLanguage) {
  const Result<std::string> text = read_text_file("/nowhere/at/all");

  EXPECT_EQ(Translator().said(reason_of(text.failure())), text.failure().what);
  EXPECT_THAT(in_persian(reason_of(text.failure())),
              HasSubstr("باز نمی‌شود: چنین فایل"));
}

TEST(MessageErrorTest, AFailureThatEndsTheRunKeepsItsWords) {
  try {
    (void)value_or_throw(read_text_file("/nowhere/at/all"));
    FAIL() << "it is there";
  } catch (const Error& error) {
    EXPECT_THAT(in_persian(reason_of(error)), HasSubstr("باز نمی‌شود"));
  }
}

TEST(MessageErrorTest, AFolderThatCannotBeMadeNamesTheFlag) {
  try {
    make_folders("/dev/null/folder", "--out");
    FAIL() << "it was made";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/dev/null/folder: cannot make the folder: Not a directory; try another --out");
    EXPECT_EQ(Translator().said(reason_of(error)), error.what());
    EXPECT_THAT(in_persian(reason_of(error)), HasSubstr("پوشه نیست؛ \u2068--out\u2069"));
  }
}

TEST(MessageErrorTest, WhatHasNoMessageIsSaidAsItIs) {
  EXPECT_EQ(reason_of(std::runtime_error("odd")), MessageArg("odd"));
  EXPECT_EQ(reason_of(Failure{"odd"}), MessageArg("odd"));
  EXPECT_EQ(system_reason(ELOOP), MessageArg(std::strerror(ELOOP)));
}

// What a switch would miss: each action has words of its own, and English ones that are known.
class FileActionTest : public testing::TestWithParam<FileAction> {};

TEST_P(FileActionTest, IsTheSameInEnglishAsInTheErrorItself) {
  const FileTrouble trouble{.path = "a.wav", .action = GetParam(), .error = ENOSPC};

  EXPECT_EQ(Translator().tr(to_message(trouble)), to_string(trouble));
  EXPECT_NE(Translator(Language::fa).tr(to_message(trouble)), to_string(trouble));
}

INSTANTIATE_TEST_SUITE_P(All,
                         FileActionTest,
                         testing::Values(FileAction::open,
                                         FileAction::read,
                                         FileAction::create,
                                         FileAction::write,
                                         FileAction::rename,
                                         FileAction::make_folder,
                                         FileAction::lock));

}  // namespace
}  // namespace qanat
