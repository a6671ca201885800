// A line that a judging command may write, and what it claims to have heard: an answer with what
// its task needs, or a failure that says why; and words can be counted in any text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "evaluate/judge_protocol.h"
#include "evaluate/word_errors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto task = static_cast<qanat::JudgeTask>(bytes[0] % 3);
  const std::string_view line(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const qanat::Result<qanat::JudgeAnswer> answer = qanat::parse_answer(line, task);
  if (!answer) {
    QANAT_CHECK(!answer.failure().what.empty()) << "a failure without a reason";
    return 0;
  }
  const qanat::JudgeAnswer& given = answer.value();
  if (given.error) {
    return 0;
  }
  if (task == qanat::JudgeTask::transcribe) {
    const auto words = qanat::spoken_words(given.text.value(), qanat::Language::en);
    const qanat::WordErrors none = qanat::count_word_errors(words, words);
    QANAT_CHECK(none.errors == 0 && none.words == words.size()) << "a text differs from itself";
  } else {
    QANAT_CHECK(std::isfinite(given.value.value())) << "a value that is no number";
  }
  return 0;
}
