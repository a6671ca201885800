#include "app/evaluation_renderer.h"

#include <utility>

#include "app/render_evaluation.h"
#include "app/speech_model.h"
#include "base/error.h"
#include "base/files.h"
#include "base/utf8.h"
#include "dataset/script.h"

namespace qanat {

std::vector<EvaluationSentence> read_evaluation_sentences(
    const std::optional<std::filesystem::path>& file) {
  if (!file) {
    return {
        {.text = "The water comes down from the hills by itself.", .language = Language::en},
        {.text = "آب از کوه آرام به شهر می‌رسد.", .language = Language::fa}};
  }
  const Result<std::string> content = read_text_file(*file, mebibytes(1));
  if (!content) {
    throw Error("evaluation sentences: {}", content.failure().what);
  }
  std::vector<EvaluationSentence> sentences;
  const std::string& text = content.value();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = encode_utf8(decode_utf8(text.substr(begin, end - begin)));
    if (line.find_first_not_of(" \t\r") != std::string::npos) {
      sentences.push_back({.text = line, .language = language_by_script(line)});
    }
    begin = end + 1;
  }
  if (sentences.empty()) {
    throw Error("evaluation sentences: {}: has none; expected one a line", file->string());
  }
  return sentences;
}

EvaluationRenderer::EvaluationRenderer(CheckpointState state,
                                       std::shared_ptr<const TextFrontEnd> text,
                                       const std::vector<EvaluationSentence>& sentences,
                                       std::filesystem::path folder)
    : state_(std::move(state)),
      text_(std::move(text)),
      folder_(std::move(folder)),
      vocoder_(state_.mel) {
  for (const EvaluationSentence& one : sentences) {
    Result<TokenIds> tokens = text_->tokens(one.text, one.language);
    if (!tokens) {
      throw Error("evaluation sentence \"{}\": {}", one.text, tokens.failure().what);
    }
    sentences_.push_back(std::move(tokens).value());
  }
}

std::filesystem::path EvaluationRenderer::render(std::int64_t step, const TensorMap& weights) {
  SpeechModel model(state_, weights, text_);
  std::filesystem::path folder = folder_ / fmt::format("step-{:09}", step);
  for (std::size_t i = 0; i < sentences_.size(); ++i) {
    render_evaluation(folder / fmt::format("sentence-{}", i + 1),
                      model.speak(sentences_[i]),
                      state_.mel,
                      vocoder_);
  }
  return folder;
}

}  // namespace qanat
