#include "cli/terminal_text.h"

#include <cctype>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"

namespace qanat {
namespace {

// C1 controls, and marks that turn the direction of what follows. Isolates end with their line.
bool acts_on_terminals(char32_t code) {
  return (code >= 0x80 && code < 0xA0) || (code >= 0x202A && code <= 0x202E) || code == 0x2028 ||
         code == 0x2029;
}

void add_byte_escape(char byte, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
}

// As JSON has them: `--json` stays JSON.
void add_code_escape(char32_t code, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
}

// Bytes of the character that starts with `lead`; 0: none does.
std::size_t character_size(unsigned char lead) {
  if (lead < 0xC2 || lead > 0xF4) {
    return 0;
  }
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

}  // namespace

void TerminalText::add(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!pending_.empty() && (byte & 0xC0U) == 0x80) {
      pending_ += c;
      if (pending_.size() == wanted_) {
        add_character(out);
      }
      continue;
    }
    finish(out);
    if (byte < 0x80) {
      add_ascii(c, out);
      continue;
    }
    wanted_ = character_size(byte);
    pending_ = c;
    if (wanted_ == 0) {
      finish(out);
    }
  }
}

void TerminalText::finish(std::string& out) {
  for (const char c : std::exchange(pending_, {})) {
    line_ = Line::text;
    add_byte_escape(c, out);
  }
}

void TerminalText::add_character(std::string& out) {
  std::size_t at = 0;
  const std::optional<char32_t> code = read_code_point(pending_, at);
  if (!code) {
    finish(out);
    return;
  }
  line_ = Line::text;
  hashes_ = Hashes::none;
  if (acts_on_terminals(*code)) {
    add_code_escape(*code, out);
  } else {
    out += pending_;
  }
  pending_.clear();
}

void TerminalText::add_ascii(char c, std::string& out) {
  if (c == '\n') {
    line_ = Line::blank;
    hashes_ = Hashes::none;
    out += c;
  } else if (starts_command(c) || c == 0x7F) {
    add_code_escape(static_cast<char32_t>(c), out);
  } else if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
    add_byte_escape(c, out);
  } else {
    out += c;
  }
}

// The second colon of "::error" or the bracket of "##vso[": no need to look ahead.
bool TerminalText::starts_command(char c) {
  const bool is_blank = c == ' ' || c == '\t';
  const Line line = line_;
  if (line != Line::blank || !is_blank) {
    line_ = line == Line::blank && c == ':' ? Line::colon : Line::text;
  }
  const Hashes hashes = hashes_;
  if (c == '#') {
    hashes_ = hashes == Hashes::none ? Hashes::one : Hashes::two;
  } else if (hashes != Hashes::two || std::isalpha(static_cast<unsigned char>(c)) == 0) {
    hashes_ = Hashes::none;
  }
  return (line == Line::colon && c == ':') || (hashes == Hashes::two && c == '[');
}

std::string terminal_text(std::string_view text) {
  std::string out;
  TerminalText harmless;
  harmless.add(text, out);
  harmless.finish(out);
  return out;
}

HarmlessStream::HarmlessStream(std::ostream& stream) : stream_(stream), target_(*stream.rdbuf()) {
  stream_.rdbuf(this);
}

HarmlessStream::~HarmlessStream() {
  try {
    put_control("");
  } catch (const std::exception&) {
    stream_.setstate(std::ios::badbit);  // as with any text that could not be written
  }
  const std::ios::iostate state = stream_.rdstate();
  stream_.rdbuf(&target_);
  stream_.clear(state);
}

std::streamsize HarmlessStream::xsputn(const char* bytes, std::streamsize count) {
  const std::lock_guard lock(mutex_);
  std::string text;
  text_.add(std::string_view(bytes, static_cast<std::size_t>(count)), text);
  const auto size = static_cast<std::streamsize>(text.size());
  return target_.sputn(text.data(), size) == size ? count : 0;
}

HarmlessStream::int_type HarmlessStream::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) {
    return traits_type::not_eof(byte);
  }
  const char c = traits_type::to_char_type(byte);
  return xsputn(&c, 1) == 1 ? byte : traits_type::eof();
}

int HarmlessStream::sync() {
  const std::lock_guard lock(mutex_);
  return target_.pubsync();
}

// What follows a sequence of our own may stand anywhere, also at the beginning of a line.
bool HarmlessStream::put_control(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  std::string text;
  text_.finish(text);
  text_ = {};
  text += bytes;
  const auto size = static_cast<std::streamsize>(text.size());
  return target_.sputn(text.data(), size) == size;
}

std::ostream& operator<<(std::ostream& out, Control control) {
  auto* const harmless = dynamic_cast<HarmlessStream*>(out.rdbuf());
  if (harmless == nullptr) {
    return out << control.bytes;
  }
  if (!harmless->put_control(control.bytes)) {
    out.setstate(std::ios::badbit);
  }
  return out;
}

}  // namespace qanat
