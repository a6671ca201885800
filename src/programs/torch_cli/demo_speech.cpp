#include "torch_cli/demo_speech.h"

#include <string>

#include "base/error.h"
#include "base/program_files.h"
#include "locale/message_error.h"
#include "locale/messages/demo.h"

namespace qanat {

DemoSpeech speak_demo(const std::filesystem::path& folder,
                      const std::function<void(const Message&)>& warn,
                      const std::stop_token& stop) {
  SynthRequest request;
  request.checkpoint.path = kStartWord;
  request.texts = {
      "The old canal carries water without a pump, and nobody has to wait for it.",
      "آب از کوه پایین می‌آید و کسی منتظر آن نمی‌ماند."};
  request.out = folder / "speech.wav";
  request.warn = warn;
  request.stop = stop;
  try {
    return {.said = run_synthesis(request).texts};
  } catch (const Error& error) {
    return {.why_not = reason_of(error)};
  }
}

Section to_section(const DemoSpeech& speech) {
  Section section{.key = "speech", .title = msg::demo_speech{}};
  if (speech.why_not) {
    section.skipped = *speech.why_not;
    return section;
  }
  section.lead = msg::demo_speech_about{};
  Table table{
      .key = "sentences",
      .columns = {{.key = "text", .name = msg::demo_sentence{}, .kind = CellKind::text},
                  {.key = "language"},
                  {.key = "file", .name = msg::demo_sound_file{}, .kind = CellKind::code},
                  {.name = msg::demo_listen{}, .kind = CellKind::audio, .on_pages_only = true}}};
  for (const SpokenText& one : speech.said) {
    const std::string file = one.out.filename().string();
    table.rows.push_back(
        {.cells = {one.text, figure_of(std::string(to_string(one.language))), file, file}});
  }
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace qanat
