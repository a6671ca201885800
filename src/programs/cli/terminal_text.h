// What the program prints, made harmless on its way out. Names of files and strings of a journal
// come from elsewhere: whatever would act on a terminal (cursor, colours, titles, bells, direction
// of text) or on a CI server that reads logs (GitHub's "::error", Azure's "##vso[") is written as
// an escape. Stands in the streams themselves, so no command has to think of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace qanat {

// A text that comes in any portions. Value; belongs to one thread.
class TerminalText {
 public:
  // Adds `bytes` to `out`. Newlines, tabs and the isolates around names in Persian pass; a
  // character that is not whole yet is kept for the next call.
  void add(std::string_view bytes, std::string& out);
  // Adds what is kept: there is no rest of it.
  void finish(std::string& out);

 private:
  enum class Line { blank, colon, text };  // so far; commands of GitHub follow blanks only
  enum class Hashes { none, one, two };    // "##" and the letters after it

  void add_ascii(char c, std::string& out);
  void add_character(std::string& out);
  bool starts_command(char c);

  Line line_ = Line::blank;
  Hashes hashes_ = Hashes::none;
  std::string pending_;  // first bytes of a character
  std::size_t wanted_ = 0;
};

// A whole text at once.
std::string terminal_text(std::string_view text);

// Our own control sequences: `out << Control{"\r\x1b[K"}` passes as it is.
struct Control {
  std::string_view bytes;
};
std::ostream& operator<<(std::ostream& out, Control control);

// Makes what is written to a stream harmless until it is destroyed. Fixture; writing is as
// thread-safe as a portion of text is whole.
class HarmlessStream final : public std::streambuf {
 public:
  explicit HarmlessStream(std::ostream& stream);
  HarmlessStream(const HarmlessStream&) = delete;
  HarmlessStream& operator=(const HarmlessStream&) = delete;
  ~HarmlessStream() override;

 private:
  friend std::ostream& operator<<(std::ostream& out, Control control);

  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int_type overflow(int_type byte) override;
  int sync() override;
  bool put_control(std::string_view bytes);

  std::ostream& stream_;
  std::streambuf& target_;
  std::mutex mutex_;  // guards text_, and writing to target_
  TerminalText text_;
};

}  // namespace qanat
