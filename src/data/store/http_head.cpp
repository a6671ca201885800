#include "store/http_head.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <utility>

#include "locale/message_error.h"
#include "locale/messages/stores.h"

namespace qanat {
namespace {

constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::size_t kMaxTag = 1024;
constexpr std::int64_t kMaxWait = 600;  // s

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(
      lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Digits and nothing else.
std::optional<std::int64_t> count_of(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && value >= 0 && digits.front() != '-' ? std::optional(value) : std::nullopt;
}

// "eu-central-1": what a message repeats.
bool is_region(std::string_view value) {
  return value.size() <= 32 && std::ranges::all_of(value, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-';
         });
}

AnswerJudgement refuse(Message why) {
  return {.verdict = AnswerJudgement::Verdict::refuse, .why = std::move(why)};
}

AnswerJudgement again(Message why) {
  return {.verdict = AnswerJudgement::Verdict::again, .why = std::move(why)};
}

bool is_other_version(const HttpHead& head, std::int64_t size, const ObjectVersion* known) {
  if (known == nullptr) {
    return false;
  }
  const std::string tag = tag_of(head);
  return size != known->size.value || (!tag.empty() && !known->tag.empty() && tag != known->tag);
}

AnswerJudgement judge_part(const HttpHead& head,
                           const ByteRange& asked,
                           const ObjectVersion* known) {
  const std::optional<ContentRange>& range = head.range;
  if (!range || !range->first || !range->last || !range->total || *range->first != asked.first ||
      *range->last < *range->first || *range->last >= *range->total) {
    return again(msg::store_wrong_range{});
  }
  if (is_other_version(head, *range->total, known)) {
    return refuse(msg::store_changed{});
  }
  const std::int64_t size = *range->last - *range->first + 1;
  if (size != asked.size || (head.length && *head.length != size)) {
    return again(msg::store_wrong_range{});
  }
  return {.verdict = AnswerJudgement::Verdict::take,
          .take = size,
          .version = {.size = Bytes{*range->total}, .tag = tag_of(head)}};
}

AnswerJudgement judge_whole(const HttpHead& head,
                            const ByteRange& asked,
                            const ObjectVersion* known) {
  if (!head.length) {
    return refuse(msg::store_no_ranges{});
  }
  if (is_other_version(head, *head.length, known)) {
    return refuse(msg::store_changed{});
  }
  if (*head.length == 0 && known == nullptr) {
    return {.verdict = AnswerJudgement::Verdict::empty, .version = {.tag = tag_of(head)}};
  }
  if (asked.first >= *head.length || asked.size > *head.length - asked.first) {
    return again(msg::store_wrong_range{});
  }
  // Every read of what is larger would fetch too much. A server that answered ranges before may do
  // so again.
  if (*head.length > kMaxSkipped.value) {
    return known == nullptr ? refuse(msg::store_no_ranges{}) : again(msg::store_no_ranges{});
  }
  return {.verdict = AnswerJudgement::Verdict::take,
          .is_whole = true,
          .skip = asked.first,
          .take = asked.size,
          .version = {.size = Bytes{*head.length}, .tag = tag_of(head)}};
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes";
  text = trim_blanks(text);
  if (in_lower_case(text.substr(0, kUnit.size())) != kUnit) {
    return std::nullopt;
  }
  text = trim_blanks(text.substr(kUnit.size()));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  ContentRange range;
  const std::string_view total = trim_blanks(text.substr(slash + 1));
  if (total != "*") {
    range.total = total.empty() ? std::nullopt : count_of(total);
    if (!range.total) {
      return std::nullopt;
    }
  }
  const std::string_view bytes = trim_blanks(text.substr(0, slash));
  if (bytes == "*") {
    return range;
  }
  const std::size_t dash = bytes.find('-');
  if (dash == 0 || dash == std::string_view::npos || dash + 1 == bytes.size()) {
    return std::nullopt;
  }
  range.first = count_of(bytes.substr(0, dash));
  range.last = count_of(bytes.substr(dash + 1));
  return range.first && range.last ? std::optional(range) : std::nullopt;
}

bool HeadParser::take(std::string_view line) {
  size_ += line.size();
  if (size_ > kMaxHead) {
    return false;
  }
  if (line.starts_with("HTTP/")) {
    head_ = {};
    const std::size_t blank = line.find(' ');
    const std::string_view rest =
        blank == std::string_view::npos ? std::string_view() : trim_blanks(line.substr(blank));
    const std::string_view digits = rest.substr(0, rest.find(' '));
    head_.status = digits.size() == 3 ? static_cast<int>(count_of(digits).value_or(0)) : 0;
    return true;
  }
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) {
    take_field(in_lower_case(trim_blanks(line.substr(0, colon))),
               trim_blanks(line.substr(colon + 1)));
  }
  return true;
}

void HeadParser::take_field(std::string_view name, std::string_view value) {
  if (name == "content-length" && !value.empty()) {
    head_.length = count_of(value);
  } else if (name == "content-range") {
    head_.range = parse_content_range(value);
    head_.has_range = true;
  } else if (name == "etag" && value.size() <= kMaxTag) {
    head_.etag = value;
  } else if (name == "last-modified" && value.size() <= kMaxTag) {
    head_.modified = value;
  } else if (name == "content-encoding") {
    head_.encoding = in_lower_case(value);
  } else if (name == "x-amz-bucket-region" && is_region(value)) {
    head_.region = value;
  } else if (name == "location") {
    head_.has_location = !value.empty();
  } else if (name == "retry-after" && !value.empty()) {
    if (const std::optional<std::int64_t> seconds = count_of(value)) {  // else it is a date
      head_.retry_after = Seconds(static_cast<double>(std::min(*seconds, kMaxWait)));
    }
  }
}

std::string tag_of(const HttpHead& head) {
  return head.etag.empty() ? head.modified : head.etag;
}

AnswerJudgement judge(const HttpHead& head, const ByteRange& asked, const ObjectVersion* known) {
  const int status = head.status;
  if (status / 100 == 2 && !head.encoding.empty() && head.encoding != "identity") {
    return refuse(msg::store_encoded{.encoding = head.encoding.substr(0, 20)});
  }
  if (status == 206 || (status == 200 && head.has_range)) {  // rclone and others say 200
    return judge_part(head, asked, known);
  }
  if (status == 200) {
    return judge_whole(head, asked, known);
  }
  if (status == 416) {
    const bool is_empty = head.range && head.range->total == 0;
    if (known == nullptr && is_empty) {
      return {.verdict = AnswerJudgement::Verdict::empty, .version = {.tag = tag_of(head)}};
    }
    return known != nullptr ? refuse(msg::store_changed{}) : again(msg::store_wrong_range{});
  }
  if (!head.region.empty() && (status / 100 == 3 || status == 400 || status == 403)) {
    return refuse(msg::store_other_region{.region = head.region, .status = ungrouped(status)});
  }
  if (status / 100 == 3 && head.has_location) {
    return {.verdict = AnswerJudgement::Verdict::redirect};
  }
  if (status < 200 || status == 408 || status == 425 || status == 429 || status / 100 == 5) {
    return again(msg::store_status{.status = ungrouped(status)});
  }
  if (status == 404 || status == 410) {
    return refuse(msg::store_not_found{.status = ungrouped(status)});
  }
  if (status == 401 || status == 403) {
    return refuse(msg::store_denied{.status = ungrouped(status)});
  }
  return refuse(msg::store_status{.status = ungrouped(status)});
}

}  // namespace qanat
