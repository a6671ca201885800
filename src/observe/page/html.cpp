#include "page/html.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/content_hash.h"

namespace qanat {

std::string html_escaped(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        // Control characters mean nothing in HTML; NUL is not even allowed.
        html += static_cast<unsigned char>(c) < 0x20 ? std::string("\uFFFD") : std::string(1, c);
    }
  }
  return html;
}

std::string code_html(std::string_view text) {
  // A line may break after any hyphen: flags are kept whole, so that none ends in one.
  std::string html = "<code dir=\"ltr\">";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = html_escaped(text.substr(at, end - at));
    html += word.starts_with("--") ? "<span class=\"flag\">" + word + "</span>" : word;
    html += end < text.size() ? " " : "";
    at = end + 1;
  }
  return html + "</code>";
}

std::string url_escaped(std::string_view path) {
  std::string url;
  for (const char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '/' || c == '.' || c == '-' || c == '_';
    url += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return url;
}

std::string url_from(const std::filesystem::path& page, const std::filesystem::path& file) {
  const std::filesystem::path folder =
      std::filesystem::absolute(page).lexically_normal().parent_path();
  return url_escaped(std::filesystem::absolute(file)
                         .lexically_normal()
                         .lexically_relative(folder)
                         .generic_string());
}

std::string render_page(const HtmlPage& page) {
  const std::string nonce =
      fmt::format("{:016x}{:016x}", content_hash(page.body), content_hash(page.body, 1));
  const std::string script =
      page.script.empty()
          ? std::string()
          : fmt::format("<script type=\"module\" nonce=\"{}\">\n{}</script>\n", nonce, page.script);
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\" dir=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'nonce-{}'; script-src 'nonce-{}'; {}base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style "
      "nonce=\"{}\">\n{}</style>\n</head>\n<body>\n{}{}</body>\n</html>\n",
      to_string(page.language),
      page.language == Language::fa ? "rtl" : "ltr",
      nonce,
      nonce,
      page.shows_pictures ? "img-src 'self' data:; media-src 'self'; "
      : page.shows_files  ? "img-src 'self'; media-src 'self'; "
                          : "",
      html_escaped(page.title),
      nonce,
      page.style,
      page.body,
      script);
}

std::string prose_html(std::string_view text) {
  std::string html;
  bool in_code = false;
  for (std::size_t at = 0; at <= text.size(); in_code = !in_code) {
    const std::size_t end = std::min(text.find('`', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    html += in_code ? code_html(part) : html_escaped(part);
    at = end + 1;
  }
  for (std::size_t at = html.find("-&gt;"); at != std::string::npos; at = html.find("-&gt;", at)) {
    html.replace(at, 5, "\u2192");
  }
  return html;
}

}  // namespace qanat
