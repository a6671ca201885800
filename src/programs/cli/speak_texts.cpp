#include "cli/speak_texts.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/time.h"
#include "cli/torch_part.h"
#include "locale/message_error.h"
#include "locale/messages/evaluate.h"
#include "text/child_process.h"

namespace qanat {
namespace {

std::string as_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text + '\n';
}

// Everything the program prints; nothing when stopped.
std::optional<std::string> output_of(const std::vector<std::string>& command,
                                     const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kTurn(200);
  Result<ChildProcess> process = ChildProcess::start(command, ChildMessages::shown);
  if (!process) {
    throw MessageError(
        msg::evaluate_not_started{.program = command[0], .why = reason_of(process.failure())});
  }
  std::string output;
  for (;;) {
    const Result<std::string> line = process.value().read_line(Clock::now() + kTurn);
    if (line) {
      output += line.value() + '\n';
    } else if (stop.stop_requested()) {
      return std::nullopt;
    } else if (line.failure().message != Message(msg::child_no_answer{})) {
      return output;  // it has ended
    }
  }
}

// Clips get the names of their sentences.
SpokenBy take_clips(const SpeakRequest& request, const nlohmann::json& report) {
  SpokenBy by{.checkpoint = report.at("checkpoint").get<std::string>(),
              .step = report.at("step").get<std::int64_t>(),
              .vocoder = report.at("vocoder").at("name").get<std::string>(),
              .audio_s = report.at("audio_s").get<double>(),
              .work_s = report.at("work_s").get<double>()};
  const nlohmann::json& texts = report.at("texts");
  for (std::size_t i = 0; i < request.texts.size(); ++i) {
    const nlohmann::json& text = texts.at(i);
    const double audio_s = text.at("audio_s").get<double>();
    std::filesystem::rename(text.at("out").get<std::string>(),
                            request.folder / (request.texts[i].name + ".wav"));
    if (audio_s > 0) {
      by.real_time_factors[request.texts[i].name] = text.at("work_s").get<double>() / audio_s;
    }
  }
  return by;
}

}  // namespace

std::optional<SpokenBy> speak_texts(const SpeakRequest& request) {
  const std::optional<std::filesystem::path> program = find_companion("qanat-torch");
  if (!program) {
    throw MessageError(msg::evaluate_no_program{});
  }
  make_folders(request.folder, "--out");
  const TemporaryFolder temporary;
  const std::filesystem::path list = temporary.path() / "texts.txt";
  const std::filesystem::path tags = temporary.path() / "languages.txt";
  std::string lines;
  std::string languages;
  for (const NamedText& one : request.texts) {
    lines += as_line(one.text);
    languages += (one.language.text() == "und" ? "" : one.language.text()) + "\n";
  }
  write_text_file(list, lines);
  write_text_file(tags, languages);
  std::vector<std::string> command = {program->string(),
                                      "synth",
                                      "--file",
                                      list.string(),
                                      "--file-languages",
                                      tags.string(),
                                      "--out",
                                      (request.folder / ".spoken.wav").string(),
                                      "--checkpoint",
                                      request.checkpoint,
                                      "--json"};
  command.insert(command.end(), request.flags.begin(), request.flags.end());
  const std::optional<std::string> output = output_of(command, request.stop);
  if (!output) {
    return std::nullopt;
  }
  try {
    return take_clips(request, nlohmann::json::parse(*output));
  } catch (const nlohmann::json::exception&) {
    throw MessageError(msg::evaluate_not_spoken{.checkpoint = request.checkpoint});
  }
}

}  // namespace qanat
