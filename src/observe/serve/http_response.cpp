#include "serve/http_response.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace qanat {
namespace {

struct StatusReason {
  int status;
  std::string_view reason;
};
constexpr auto kStatusReasons =
    std::to_array<StatusReason>({{200, "OK"},
                                 {400, "Bad Request"},
                                 {401, "Unauthorized"},
                                 {403, "Forbidden"},
                                 {404, "Not Found"},
                                 {405, "Method Not Allowed"},
                                 {408, "Request Timeout"},
                                 {413, "Content Too Large"},
                                 {414, "URI Too Long"},
                                 {415, "Unsupported Media Type"},
                                 {421, "Misdirected Request"},
                                 {431, "Request Header Fields Too Large"},
                                 {500, "Internal Server Error"},
                                 {503, "Service Unavailable"},
                                 {505, "HTTP Version Not Supported"}});

}  // namespace

std::string_view status_reason(int status) {
  const auto* known = std::ranges::find(kStatusReasons, status, &StatusReason::status);
  return known == kStatusReasons.end() ? "Bad Request" : known->reason;
}

HttpResponse refuse(int status) {
  return {.status = status, .body = fmt::format("{} {}\n", status, status_reason(status))};
}

std::string to_bytes(const HttpResponse& response, BodyPart part) {
  const std::string length = response.is_stream
                                 ? std::string()
                                 : fmt::format("Content-Length: {}\r\n", response.body.size());
  std::string bytes = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}Connection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n{}{}"
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
      "connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
      "'none'\r\n\r\n",
      response.status,
      status_reason(response.status),
      response.content_type,
      length,
      response.status == 405 ? "Allow: GET, HEAD\r\n" : "",
      response.headers);
  return part == BodyPart::whole ? bytes + response.body : bytes;
}

}  // namespace qanat
