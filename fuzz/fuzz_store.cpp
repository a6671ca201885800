// Anything that a server of a data set may say before the bytes, and any file of credentials: taken
// or refused; what is taken lies inside of the object and is what was asked for.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/url.h"
#include "locale/translator.h"
#include "store/aws_settings.h"
#include "store/http_head.h"
#include "store/store_url.h"

namespace {

void check_judgement(const qanat::HttpHead& head,
                     const qanat::ByteRange& asked,
                     const qanat::ObjectVersion* known) {
  const qanat::AnswerJudgement judged = qanat::judge(head, asked, known);
  using Verdict = qanat::AnswerJudgement::Verdict;
  if (judged.verdict == Verdict::take) {
    QANAT_CHECK(judged.take == asked.size) << judged.take;
    QANAT_CHECK(judged.skip >= 0 && judged.skip <= qanat::kMaxSkipped.value) << judged.skip;
    QANAT_CHECK(judged.version.size.value >= asked.first + asked.size) << asked.first;
    QANAT_CHECK(known == nullptr || judged.version.size == known->size) << "another version";
  }
  if (judged.verdict == Verdict::again || judged.verdict == Verdict::refuse) {
    QANAT_CHECK(judged.why) << "no reason";
    qanat::Translator().said(judged.why);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  qanat::HeadParser parser;
  std::string_view left = text;
  while (!left.empty()) {
    const std::string_view line = left.substr(0, left.find('\n'));
    left.remove_prefix(std::min(line.size() + 1, left.size()));
    if (!parser.take(line)) {
      break;
    }
  }
  const qanat::ObjectVersion known{.size = qanat::Bytes{1000}, .tag = "\"one\""};
  check_judgement(parser.head(), {.first = 0, .size = 1}, nullptr);
  check_judgement(parser.head(), {.first = 5, .size = 5}, &known);

  const qanat::IniSection section = qanat::parse_ini_section(text, "default");
  QANAT_CHECK(section.value("aws_secret_access_key").size() <= size) << "longer than the file";
  const qanat::Result<qanat::StoreAddress> address =
      qanat::resolve_url(text, {.endpoint = "http://localhost:9000"});
  if (address) {
    QANAT_CHECK(address.value().url.starts_with("http")) << address.value().url;
    QANAT_CHECK(address.value().url.find_first_of(" \r\n") == std::string::npos) << "two lines";
    QANAT_CHECK(!qanat::has_secret(text)) << "a secret";
  }
  return 0;
}
