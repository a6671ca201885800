#include "base/url.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace qanat {
namespace {

constexpr std::array<std::string_view, 3> kSchemes = {"http://", "https://", "s3://"};

// What names of parameters contain that give access.
constexpr std::array<std::string_view, 8> kAccessWords = {
    "sig", "token", "secret", "credential", "password", "passwd", "auth", "key"};

bool gives_access(std::string_view parameter) {
  std::string name(parameter.substr(0, parameter.find('=')));
  std::ranges::transform(
      name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(
      kAccessWords, [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

}  // namespace

bool is_url(std::string_view text) {
  return std::ranges::any_of(kSchemes,
                             [&](std::string_view scheme) { return text.starts_with(scheme); });
}

bool has_secret(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) {
    return false;
  }
  std::string_view rest = url.substr(scheme + 3);
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.find('@') != std::string_view::npos) {
    return true;
  }
  const std::size_t query = rest.find_first_of("?#");
  while (query != std::string_view::npos && !rest.empty()) {
    rest.remove_prefix(rest.find_first_of("?#&;") + 1);
    const std::size_t end = rest.find_first_of("?#&;");
    if (gives_access(rest.substr(0, end))) {
      return true;
    }
    if (end == std::string_view::npos) {
      break;
    }
  }
  return false;
}

}  // namespace qanat
