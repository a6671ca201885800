#include "voice_server/voice_page.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "locale/messages/voice_server.h"
#include "page/html.h"
#include "web/resources.h"

namespace qanat {
namespace {

struct PageFile {
  std::string_view path;
  std::string_view content_type;
  std::string_view text;
};
constexpr std::array kPageFiles{PageFile{"/page.css", "text/css; charset=utf-8", kPageCss},
                                PageFile{"/voice.css", "text/css; charset=utf-8", kVoiceCss},
                                PageFile{"/voice.js", "text/javascript; charset=utf-8", kVoiceJs}};

Translator page_words(const HttpRequest& request, const Translator& words) {
  const std::string asked = request.parameter("lang");
  return asked == "fa"   ? Translator(Language::fa).on_pages()
         : asked == "en" ? Translator(Language::en).on_pages()
                         : words.on_pages();
}

std::string query_of(const HttpRequest& request) {
  const std::string token = request.parameter("token");
  return token.empty() ? std::string() : fmt::format("?token={}", html_escaped(token));
}

// The same page in the other language.
std::string language_link(const HttpRequest& request, const Translator& words) {
  const bool to_english = words.language() == Language::fa;
  const std::string token = request.parameter("token");
  return fmt::format("<a href=\"?lang={}{}\" lang=\"{}\" dir=\"auto\">{}</a>",
                     to_english ? "en" : "fa",
                     token.empty() ? "" : "&amp;token=" + html_escaped(token),
                     to_english ? "en" : "fa",
                     html_escaped(words.tr(msg::voice_page_other_language{})));
}

std::string voice_options(const VoiceFacts& facts) {
  std::string options;
  for (const VoiceName& voice : facts.voices) {
    options += fmt::format("<option>{}</option>", html_escaped(voice.id));
  }
  return options;
}

std::string controls(const VoiceFacts& facts, const Translator& w) {
  const auto said = [&](const Message& message) { return html_escaped(w.tr(message)); };
  return fmt::format(
      "<form id=\"ask\">\n<label for=\"text\">{}</label>\n"
      "<textarea id=\"text\" dir=\"auto\" rows=\"4\" placeholder=\"{}\" required>{}</textarea>\n"
      "<div class=\"row\"><label>{} <select id=\"voice\">{}</select></label>\n"
      "<label>{} <input id=\"speed\" type=\"range\" min=\"0.5\" max=\"2\" step=\"0.05\" "
      "value=\"1\"> <output id=\"speed-value\"></output></label></div>\n"
      "<div class=\"row\"><button type=\"submit\" id=\"speak\">{}</button>\n"
      "<button type=\"button\" id=\"stop\" disabled>{}</button>\n"
      "<a id=\"save\" download=\"speech.wav\" hidden>{}</a></div>\n</form>\n",
      said(msg::voice_page_text{}),
      said(msg::voice_page_hint{}),
      said(msg::voice_page_example{}),
      said(msg::voice_page_voice{}),
      voice_options(facts),
      said(msg::voice_page_speed{}),
      said(msg::voice_page_speak{}),
      said(msg::voice_page_stop{}),
      said(msg::voice_page_save{}));
}

std::string results(const Translator& w) {
  const auto said = [&](const Message& message) { return html_escaped(w.tr(message)); };
  return fmt::format(
      "<p id=\"status\" role=\"status\" data-waiting=\"{}\" data-speaking=\"{}\" data-done=\"{}\" "
      "data-stopped=\"{}\" data-lost=\"{}\"></p>\n"
      "<canvas id=\"wave\" role=\"img\" aria-label=\"{}\" width=\"1000\" height=\"160\"></canvas>\n"
      "<dl id=\"times\" hidden><dt>{}</dt><dd id=\"first\"></dd><dt>{}</dt><dd id=\"length\"></dd>"
      "<dt>{}</dt><dd id=\"work\"></dd><dt>{}</dt><dd id=\"factor\"></dd></dl>\n",
      said(msg::voice_page_waiting{}),
      said(msg::voice_page_speaking{}),
      said(msg::voice_page_done{}),
      said(msg::voice_page_stopped{}),
      said(msg::voice_page_lost{}),
      said(msg::voice_page_waveform{}),
      said(msg::voice_page_first{}),
      said(msg::voice_page_length{}),
      said(msg::voice_page_work{}),
      said(msg::voice_page_factor{}));
}

HttpResponse frame(const HttpRequest& request, const VoiceFacts& facts, const Translator& w) {
  const std::string query = query_of(request);
  return {.content_type = "text/html; charset=utf-8",
          .body = fmt::format(
              "<!doctype html>\n<html lang=\"{}\" dir=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n"
              "<link rel=\"stylesheet\" href=\"page.css{}\">\n"
              "<link rel=\"stylesheet\" href=\"voice.css{}\">\n"
              "<script type=\"module\" src=\"voice.js{}\"></script>\n</head>\n<body>\n"
              "<header><h1>{}</h1>{}</header>\n<p class=\"subtitle\"><bdi>{}</bdi></p>\n"
              "<main>\n{}{}</main>\n</body>\n</html>\n",
              to_string(w.language()),
              w.right_to_left() ? "rtl" : "ltr",
              html_escaped(w.tr(msg::voice_page_title{})),
              query,
              query,
              query,
              html_escaped(w.tr(msg::voice_page_title{})),
              language_link(request, w),
              html_escaped(facts.model),
              controls(facts, w),
              results(w))};
}

}  // namespace

std::optional<HttpResponse> voice_page(const HttpRequest& request,
                                       const VoiceFacts& facts,
                                       const Translator& words) {
  if (request.path == "/") {
    return frame(request, facts, page_words(request, words));
  }
  for (const PageFile& file : kPageFiles) {
    if (request.path == file.path) {
      return HttpResponse{.content_type = std::string(file.content_type),
                          .body = std::string(file.text)};
    }
  }
  return std::nullopt;
}

}  // namespace qanat
