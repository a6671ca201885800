#include "serve/http_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <system_error>

namespace qanat {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";

HttpParse refused(int status) {
  return {.state = HttpParse::State::refused, .status = status};
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

// 0 when the line is fine.
int read_request_line(std::string_view line, const HttpLimits& limits, HttpRequest& request) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return 400;
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || !version.starts_with("HTTP/")) {
    return 400;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return 505;
  }
  if (method != "GET" && method != "HEAD" && (method != "POST" || limits.body == 0)) {
    return 405;
  }
  if (target.size() > kMaxTargetBytes) {
    return 414;
  }
  if (!target.starts_with('/') || !is_printable(target)) {
    return 400;
  }
  request.method = method;
  request.head_only = method == "HEAD";
  request.is_old = version == "HTTP/1.0";
  const std::size_t question = target.find('?');
  request.path = target.substr(0, question);
  request.query = question == std::string_view::npos ? "" : target.substr(question + 1);
  return 0;
}

int read_header(std::string_view line, HttpRequest& request) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return 400;
  }
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (std::ranges::any_of(value, [](unsigned char c) { return c < 0x20 && c != '\t'; })) {
    return 400;
  }
  if (request.headers.size() >= kMaxHeaders) {
    return 431;
  }
  // Two hosts, or two lengths, are how requests are smuggled.
  return request.headers.emplace(std::move(name), value).second ? 0 : 400;
}

struct BodyLength {
  int refusal = 0;  // 0: fine
  std::size_t bytes = 0;
};

BodyLength body_length(const HttpRequest& request, const HttpLimits& limits) {
  if (!request.header("transfer-encoding").empty()) {
    return {.refusal = 400};
  }
  const std::string text = request.header("content-length");
  if (request.method != "POST") {
    return {.refusal = text.empty() || text == "0" ? 0 : 413};
  }
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return {.refusal = 400};
  }
  return {.refusal = error != std::errc() || bytes > limits.body ? 413 : 0, .bytes = bytes};
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string HttpRequest::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return std::string(pair.substr(equals + 1));
    }
  }
  return {};
}

HttpParse parse_request(std::string_view bytes, const HttpLimits& limits) {
  const std::size_t end = bytes.substr(0, kMaxRequestBytes).find(kEndOfHead);
  if (end == std::string_view::npos) {
    return bytes.size() >= kMaxRequestBytes ? refused(431) : HttpParse{};
  }
  HttpParse parse{.state = HttpParse::State::complete};
  std::string_view head = bytes.substr(0, end);
  const std::size_t first = head.find("\r\n");
  int status = read_request_line(head.substr(0, first), limits, parse.request);
  head.remove_prefix(first == std::string_view::npos ? head.size() : first + 2);
  while (status == 0 && !head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    status = read_header(line, parse.request);
    head.remove_prefix(std::min(head.size(), line.size() + 2));
  }
  if (status != 0) {
    return refused(status);
  }
  const BodyLength length = body_length(parse.request, limits);
  if (length.refusal != 0) {
    return refused(length.refusal);
  }
  const std::string_view body = bytes.substr(end + kEndOfHead.size());
  if (body.size() < length.bytes) {
    return {.awaits_continue = body.empty() && parse.request.header("expect") == "100-continue"};
  }
  parse.request.body = body.substr(0, length.bytes);
  return parse;
}

}  // namespace qanat
