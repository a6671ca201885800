#include "serve/http_response.h"

#include <fmt/format.h>

namespace qanat {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 421:
      return "Misdirected Request";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Bad Request";
  }
}

}  // namespace

HttpResponse refuse(int status) {
  return {.status = status, .body = fmt::format("{} {}\n", status, reason_of(status))};
}

std::string to_bytes(const HttpResponse& response, BodyPart part) {
  const std::string length = response.is_stream
                                 ? std::string()
                                 : fmt::format("Content-Length: {}\r\n", response.body.size());
  std::string bytes = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\n{}Connection: close\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n{}"
      "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
      "connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
      "'none'\r\n\r\n",
      response.status,
      reason_of(response.status),
      response.content_type,
      length,
      response.status == 405 ? "Allow: GET, HEAD\r\n" : "");
  return part == BodyPart::whole ? bytes + response.body : bytes;
}

}  // namespace qanat
