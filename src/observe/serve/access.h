// Who may ask: what a request must show before it is answered. Pure.
#pragma once

#include <optional>
#include <string>

#include "serve/http_request.h"

namespace qanat {

struct AccessRules {
  std::string address = "127.0.0.1";  // that the server listens on
  int port = 0;
  std::string token{};  // empty: none is asked for
};

bool is_loopback(const std::string& address);

// Nothing when the request may be answered, else the status to refuse it with:
// - 421 when a page of another site led a browser here under its own name (DNS rebinding): without
//   a token, Host must name the loopback address and our port;
// - 401 when the token is missing or wrong: `?token=` or `Authorization: Bearer`.
// /healthz tells nothing and is open to all.
std::optional<int> check_access(const HttpRequest& request, const AccessRules& rules);

// 128 random bits from the kernel, as text.
std::string make_token();

}  // namespace qanat
