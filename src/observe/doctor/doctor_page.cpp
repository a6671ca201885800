// The page of the doctor: the document, and under each rule its worst clips, to be heard and seen.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "audio/audio_decoder.h"
#include "doctor/doctor_document.h"
#include "features/mel_extractor.h"
#include "features/mel_image.h"
#include "locale/messages/doctor.h"
#include "page/base64.h"
#include "page/html.h"
#include "web/resources.h"

namespace qanat {
namespace {

constexpr std::size_t kClipsOfARule = 8;  // pages stay below a few megabytes
constexpr Seconds kMaxShown{30};
constexpr std::size_t kColumns = 300;  // of a waveform

// What is drawn of a clip: one picture of its samples above one of its spectrum.
struct ClipPictures {
  std::string wave;  // SVG
  std::string mel;   // URL
};

std::string wave_svg(std::span<const float> samples, const ClipFinding& finding, double seconds) {
  std::string path;
  const std::size_t step = std::max<std::size_t>(1, samples.size() / kColumns);
  std::size_t column = 0;
  for (std::size_t at = 0; at < samples.size(); at += step, ++column) {
    const auto some = samples.subspan(at, std::min(step, samples.size() - at));
    const auto [low, high] = std::ranges::minmax(some);
    path += fmt::format("M{} {:.1f}V{:.1f}", column, 30 - 29 * high, 30.4F - 29 * low);
  }
  std::string cut;
  if (finding.kept && seconds > 0) {
    const double from = finding.kept->from.count() / seconds * static_cast<double>(column);
    const double to = finding.kept->to.count() / seconds * static_cast<double>(column);
    cut = fmt::format(
        "<rect class=\"cut\" width=\"{:.1f}\" height=\"60\"/>"
        "<rect class=\"cut\" x=\"{:.1f}\" width=\"{:.1f}\" height=\"60\"/>",
        from,
        to,
        std::max(0.0, static_cast<double>(column) - to));
  }
  return fmt::format(
      "<svg class=\"wave\" viewBox=\"0 0 {} 60\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\"><path d=\"{}\"/>{}</svg>\n",
      column,
      path,
      cut);
}

std::string mel_url(MelExtractor& extractor, std::span<const float> samples) {
  const SampleCount count{static_cast<std::int64_t>(samples.size())};
  const FrameCount frames = mel_frames(count, extractor.config());
  if (frames.value == 0) {
    return {};
  }
  std::vector<float> mel(static_cast<std::size_t>(frames.value * extractor.config().mel_bins));
  extractor.extract(samples, mel);
  const std::vector<std::byte> png =
      encode_mel_image(mel, extractor.config().mel_bins, {.frame_width = 1, .band_height = 1});
  return "data:image/png;base64," +
         to_base64({reinterpret_cast<const char*>(png.data()), png.size()});
}

// Decodes clips for the page; one that cannot be read has no pictures.
class Painter {
 public:
  // All of the band that clips have: lossy and narrow ones show it at the top.
  Painter() : decoder_(SampleRate{22050}), extractor_(MelConfig{.fmax = 11025}) {}

  std::optional<ClipPictures> paint(const DoctorReport& report, const ClipFinding& finding) {
    const Utterance& utterance = report.manifest.utterances[finding.item];
    const Result<std::span<const float>> decoded =
        decoder_.decode(audio_path(report.manifest, utterance));
    if (!decoded) {
      return std::nullopt;
    }
    const auto most = static_cast<std::size_t>(kMaxShown.count() * 22050);
    const std::span<const float> samples =
        decoded.value().first(std::min(decoded.value().size(), most));
    const double seconds = static_cast<double>(samples.size()) / 22050;
    return ClipPictures{.wave = wave_svg(samples, finding, seconds),
                        .mel = mel_url(extractor_, samples)};
  }

 private:
  AudioDecoder decoder_;
  MelExtractor extractor_;
};

std::string clip_html(const DoctorReport& report,
                      const ClipFinding& finding,
                      const std::filesystem::path& page,
                      Painter& painter,
                      const Translator& w) {
  const Utterance& utterance = report.manifest.utterances[finding.item];
  std::string html =
      fmt::format("<figure>\n<figcaption><bdi>{}</bdi></figcaption>\n<p dir=\"auto\">{}</p>\n",
                  html_escaped(utterance.id),
                  html_escaped(utterance.text));
  if (const std::optional<ClipPictures> pictures = painter.paint(report, finding)) {
    html += pictures->wave;
    if (!pictures->mel.empty()) {
      html += fmt::format("<img class=\"mel\" alt=\"{}\" src=\"{}\">\n",
                          html_escaped(w.tr(msg::doctor_mel_alt{})),
                          pictures->mel);
    }
  }
  std::error_code ignored;
  const std::filesystem::path file = audio_path(report.manifest, utterance);
  if (std::filesystem::is_regular_file(file, ignored)) {  // else it lies in a container
    html += fmt::format("<audio controls preload=\"none\" src=\"{}\"></audio>\n",
                        html_escaped(url_from(page, file)));
  }
  html += fmt::format("<p class=\"heard\">{}</p>\n</figure>\n", prose_html(w.tr(finding.detail)));
  return html;
}

// The clips of the rule whose section it is, side by side.
std::string clips_html(const DoctorReport& report,
                       std::string_view rule,
                       const std::filesystem::path& page,
                       Painter& painter,
                       const Translator& w) {
  std::string html;
  std::size_t shown = 0;
  for (const ClipFinding& finding : report.findings) {
    if (rule_of(finding.rule).id == rule && shown < kClipsOfARule) {
      html += clip_html(report, finding, page, painter, w);
      ++shown;
    }
  }
  return "<article class=\"clip\">\n<div class=\"voices\">\n" + html + "</div>\n</article>\n";
}

}  // namespace

std::string render_html(const DoctorReport& report,
                        const std::filesystem::path& page,
                        const Translator& words) {
  constexpr std::size_t kListed = 200;
  const Translator w = words.on_pages();
  Document document = to_document(report, kListed);
  const std::string title = html_escaped(w.tr(*document.sections.front().title));
  document.sections.front().title.reset();
  std::string body = "<main>\n<h1>" + title + "</h1>\n";
  Painter painter;
  std::vector<DoctorRuleKind> kinds;
  for (const ClipFinding& finding : report.findings) {
    if (kinds.empty() || kinds.back() != finding.rule) {
      kinds.push_back(finding.rule);
    }
  }
  auto kind = kinds.begin();
  for (Section& section : document.sections) {
    const bool is_rule = section.fold == Fold::open && kind != kinds.end();
    if (is_rule) {  // heard first; what is listed below are all of them
      section.fold = Fold::none;
      body += fmt::format("<h2>{}</h2>\n<p>{}</p>\n",
                          html_escaped(w.tr(*section.title)),
                          prose_html(w.tr(*section.lead)));
      body += clips_html(report, rule_of(*kind++).id, page, painter, w);
      section.lead.reset();
      section.title = msg::doctor_listed{.count = section.tables.front().rows.size()};
      section.mood = Mood::none;
      section.fold = Fold::closed;
    }
    body += render_html(section, w);
  }
  body += "</main>\n<footer>" + prose_html(w.tr(msg::doctor_footer{})) + "</footer>\n";
  return render_page({.language = w.language(),
                      .title = words.tr(msg::doctor_title{.folder = report.manifest.root.string()}),
                      .style = std::string(kPageCss) + std::string(kDoctorCss),
                      .body = std::move(body),
                      .shows_files = true,
                      .shows_pictures = true});
}

}  // namespace qanat
