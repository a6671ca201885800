// What goes back to an HTTP client: status, type, bytes, and the headers that every answer of ours
// has. Pure. Connections are closed behind an answer.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// Made whole, sent whole, then the connection is closed.
struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
  bool is_stream = false;    // stays open, and gets every event that is published
  std::string headers = {};  // more of them, each with its line end
};

// A refusal with its reason as text.
HttpResponse refuse(int status);

// "Not Found"
std::string_view status_reason(int status);

enum class BodyPart { whole, head_only };

// With the headers that keep a page to itself: no frames, no sniffing, no referrer, no cache, and
// a policy under which only our own resources act.
std::string to_bytes(const HttpResponse& response, BodyPart part);

}  // namespace qanat
