// What every page is made of: escaped text and the frame around a body. Pages load nothing: style
// and script are inside, and the policy in the frame forbids every request but those for
// files beside a page that shows some.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/language.h"

namespace qanat {

// Safe inside elements and quoted attributes, whatever the text holds.
std::string html_escaped(std::string_view text);
// What is copied as it is: escaped, from left to right.
std::string code_html(std::string_view text);
// A sentence: escaped, what stands in `backticks` as code, an arrow where the text has "->".
std::string prose_html(std::string_view text);

// A path as a URL: bytes that mean something in one, or are none of ASCII, as %XX.
std::string url_escaped(std::string_view path);

// Where a page finds a file: relative to its own place.
std::string url_from(const std::filesystem::path& page, const std::filesystem::path& file);

struct HtmlPage {
  Language language = Language::en;
  std::string title{};          // plain text
  std::string style{};          // ours
  std::string body{};           // HTML
  std::string script{};         // ours, a module; empty: the page has none
  bool shows_files = false;     // pictures and sound from files beside the page
  bool shows_pictures = false;  // pictures that are inside of it, as data: URLs; with shows_files
};

// Persian pages run from right to left. The scripts and styles that may act are those marked with
// a nonce made of the page itself, so text that slips into it cannot be one.
std::string render_page(const HtmlPage& page);

}  // namespace qanat
