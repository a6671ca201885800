#include <cmath>

#include <fmt/format.h>

#include "locale/messages/charts.h"
#include "locale/messages/units.h"
#include "page/html.h"
#include "page/svg_plot.h"
#include "report/run_charts.h"

namespace qanat {
namespace {

std::string hz_label(double hz, const Translator& w) {
  return hz < 1000 ? w.short_number(hz, 0) + ' ' + w.tr(msg::unit_hertz{})
                   : w.short_number(hz / 1000, 1) + ' ' + w.tr(msg::unit_kilohertz{});
}

constexpr Range kPicture{.low = 0, .high = 1};
constexpr Range kSymbols{.low = 1.03, .high = 1.15};  // above the picture

// When each symbol is heard, as the model has it: above the sound it stands for.
void draw_symbols(SvgPlot& plot,
                  const std::vector<EvaluationRendered::Symbol>& symbols,
                  const Translator& w) {
  constexpr double kMinRoom = 7;  // of a letter
  double begin = 0;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto& [symbol, end] = symbols[i];
    if (!(end > begin)) {
      continue;
    }
    const std::string_view style =
        symbol.empty() ? "symbol rest" : (i % 2 == 0 ? "symbol" : "symbol odd");
    plot.box({.low = begin, .high = end},
             kSymbols,
             style,
             w.verbatim(symbol) + ' ' + w.milliseconds(Seconds(end - begin)));
    if (plot.x(end) - plot.x(begin) >= kMinRoom) {
      plot.note({(begin + end) / 2, (kSymbols.low + kSymbols.high) / 2}, "in-cell", symbol);
    }
    begin = end;
  }
}

// Time and frequency as the picture has them.
std::string spectrogram(const RenderPoint& point, std::size_t at, const RunView& run) {
  const Translator& w = run.words;
  const EvaluationRendered::Sentence& sentence = point.sentences[at];
  const Range time{.low = 0, .high = sentence.seconds};
  SvgPlot plot({.id = fmt::format("{}-{}", point.folder, at + 1),
                .title = w.tr(msg::chart_spectrogram{}),
                .description = sentence.text,
                .x = time,
                .y = {.low = kPicture.low, .high = sentence.symbols.empty() ? 1 : kSymbols.high},
                .x_label = [&w](double value) { return w.tick(Seconds(value)); },
                .x_name = w.tr(msg::chart_time{}),
                .x_ticks = Ticks::time,
                .height = sentence.symbols.empty() ? 220.0 : 240.0,
                .left = w.right_to_left() ? 96.0 : 70.0});
  const RunFiles& files = run.files.value();
  plot.image(
      time,
      kPicture,
      fmt::format(
          "{}renders/{}/sentence-{}.png{}", files.prefix, point.folder, at + 1, files.query));
  draw_symbols(plot, sentence.symbols, w);
  for (const EvaluationRendered::AxisMark& mark : point.axis) {
    plot.row_name(mark.at, hz_label(mark.hz, w));
  }
  return std::move(plot).finish();
}

std::string player_html(const std::string& name, const std::string& file, const RunView& run) {
  const RunFiles& files = run.files.value();
  return fmt::format(
      "<div><span>{}</span>\n<audio controls preload=\"metadata\" src=\"{}renders/{}{}\"></audio></div>\n",
      html_escaped(name),
      html_escaped(files.prefix),
      file,
      html_escaped(files.query));
}

// What was recorded, where it was, beside what was made of it.
std::string players_html(const RenderPoint& point, std::size_t at, const RunView& run) {
  const Translator& w = run.words;
  std::string html;
  if (const std::optional<std::string>& recording = point.sentences[at].recording) {
    html += player_html(w.tr(msg::chart_recording{}), *recording, run);
  }
  html += player_html(point.vocoder ? w.tr(msg::chart_spoken_by{.vocoder = *point.vocoder}) : "",
                      fmt::format("{}/sentence-{}.wav", point.folder, at + 1),
                      run);
  return "<div class=\"players\">\n" + html + "</div>\n";
}

std::string sentence_html(const RenderPoint& point, std::size_t at, const RunView& run) {
  const Translator& w = run.words;
  return fmt::format(
      "<figure class=\"render\" id=\"{0}-{1}-figure\">\n<figcaption><strong dir=\"auto\">{2}</strong> "
      "{3}</figcaption>\n{4}<div class=\"scroll plots\">\n{5}</div>\n</figure>\n",
      point.folder,
      at + 1,
      html_escaped(point.sentences[at].text),
      html_escaped(w.tr(msg::chart_render{.step = point.step,
                                          .seconds = in_seconds(point.sentences[at].seconds, 1)})),
      players_html(point, at, run),
      spectrogram(point, at, run));
}

std::string point_html(const RenderPoint& point, const RunView& run) {
  std::string html;
  for (std::size_t i = 0; i < point.sentences.size(); ++i) {
    html += sentence_html(point, i, run);
  }
  return html;
}

}  // namespace

RunFiles files_beside(const std::filesystem::path& journal, const std::filesystem::path& page) {
  const std::string path =
      url_from(page, std::filesystem::absolute(journal).lexically_normal().parent_path());
  return {.prefix = path.empty() || path == "." ? std::string() : path + '/'};
}

// The newest one open, the ones before behind their step: to hear how far the model has come.
std::string renders_html(const RunView& run) {
  const std::vector<RenderPoint>& renders = run.history.renders;
  if (!run.files || renders.empty()) {
    return {};
  }
  std::string html = point_html(renders.back(), run);
  for (auto point = renders.rbegin() + 1; point != renders.rend(); ++point) {
    html += fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                        html_escaped(run.words.tr(msg::chart_render_step{.step = point->step})),
                        point_html(*point, run));
  }
  return html;
}

}  // namespace qanat
