#include "cli/terminal_text.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace qanat {
namespace {

std::string printed(std::string_view text) {
  std::ostringstream target;
  {
    const HarmlessStream harmless(target);
    target << text;
  }
  return target.str();
}

TEST(TerminalTextTest, OrdinaryTextPassesAsItIs) {
  const std::string text = "loss\t0.5: 30 % — سلام\u200Cها \u2068run\u2069 # 1 ## 2 [3] a::b\n";

  EXPECT_EQ(printed(text), text);
}

TEST(TerminalTextTest, WhatActsOnATerminalIsWrittenAsAnEscape) {
  EXPECT_EQ(printed("a\x1b]0;title\x07 \x7f\r\b"), "a\\x1b]0;title\\x07 \\u007f\\x0d\\x08");
  EXPECT_EQ(printed("\u009b31m \u202Egnp.exe"), "\\u009b31m \\u202egnp.exe");
  EXPECT_EQ(printed("caf\xE9 \x9b"), "caf\\xe9 \\x9b") << "no UTF-8: a byte may be a control too";
  EXPECT_EQ(printed("\xE2\x80"), "\\xe2\\x80") << "not whole at the end";
}

TEST(TerminalTextTest, ALineOfALogIsNoCommandOfACiServer) {
  EXPECT_EQ(printed("::error::x\n  ::warning::y\n"), ":\\u003aerror::x\n  :\\u003awarning::y\n");
  EXPECT_EQ(printed("a ##[error]x ##vso[task]y"), "a ##\\u005berror]x ##vso\\u005btask]y");
}

TEST(TerminalTextTest, PortionsDoNotMatter) {
  std::ostringstream target;
  {
    const HarmlessStream harmless(target);
    for (const char c : std::string(":"
                                    ":e \xC2\x9b س\n")) {
      target << c;
    }
  }

  EXPECT_EQ(target.str(), ":\\u003ae \\u009b س\n");
}

TEST(TerminalTextTest, OurOwnSequencesPass) {
  std::ostringstream target;
  {
    const HarmlessStream harmless(target);
    target << Control{"\r\x1b[K"} << "::error" << '\n';
  }
  target << "\x1b";

  EXPECT_EQ(target.str(), "\r\x1b[K:\\u003aerror\n\x1b") << "and the stream is given back";
}

TEST(TerminalTextTest, AFailureToWriteIsSeen) {
  std::ofstream full("/dev/full");
  full.exceptions(std::ios::goodbit);
  const HarmlessStream harmless(full);

  full << std::string(1 << 16, 'x') << std::flush;

  EXPECT_FALSE(full);
}

}  // namespace
}  // namespace qanat
