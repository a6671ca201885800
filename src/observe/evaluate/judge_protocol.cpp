#include "evaluate/judge_protocol.h"

#include <cmath>
#include <cstddef>

#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "locale/message_error.h"
#include "locale/messages/evaluate.h"

namespace qanat {
namespace {

using AnswerJson = nlohmann::json;

Failure answer_failure(std::string_view line, const Message& what) {
  constexpr std::size_t kShown = 120;
  const bool is_text = !first_invalid_utf8(line);
  return to_failure(msg::judge_bad_answer{
      .what = what,
      .answer = is_text ? excerpt(line, kShown) : excerpt(encode_utf8(decode_utf8(line)), kShown)});
}

std::optional<std::string> text_field(const AnswerJson& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                     : std::nullopt;
}

}  // namespace

std::string_view to_string(JudgeTask task) {
  switch (task) {
    case JudgeTask::transcribe:
      return "transcribe";
    case JudgeTask::similarity:
      return "similarity";
    case JudgeTask::quality:
      return "quality";
  }
  return "";
}

Result<std::string> to_line(const JudgeRequest& request) {
  nlohmann::ordered_json object = {{"id", request.id}, {"task", to_string(request.task)}};
  const auto add = [&](const char* name, const std::filesystem::path& path) {
    const std::string text = std::filesystem::absolute(path).lexically_normal().string();
    object[name] = text;
    return !first_invalid_utf8(text);
  };
  bool is_utf8 = add("audio", request.audio);
  if (request.task == JudgeTask::similarity) {
    is_utf8 = add("reference", request.reference) && is_utf8;
  }
  if (request.task == JudgeTask::transcribe) {
    object["language"] = to_string(request.language);
  }
  if (!is_utf8) {
    return to_failure(msg::judge_path_not_utf8{});
  }
  return object.dump();
}

Result<JudgeAnswer> parse_answer(std::string_view line, JudgeTask task) {
  const AnswerJson object = AnswerJson::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) {
    return answer_failure(line, msg::judge_not_json{});
  }
  const auto id = object.find("id");
  if (id == object.end() || !id->is_number_integer()) {
    return answer_failure(line, msg::judge_no_field{.field = "id"});
  }
  JudgeAnswer answer{.id = id->get<std::int64_t>(), .error = text_field(object, "error")};
  if (answer.error) {
    return answer;
  }
  if (task == JudgeTask::transcribe) {
    answer.text = text_field(object, "text");
    return answer.text ? Result(answer)
                       : answer_failure(line, msg::judge_no_field{.field = "text"});
  }
  const auto value = object.find("value");
  if (value == object.end() || !value->is_number() || !std::isfinite(value->get<double>())) {
    return answer_failure(line, msg::judge_no_field{.field = "value"});
  }
  answer.value = value->get<double>();
  return answer;
}

}  // namespace qanat
