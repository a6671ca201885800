// Bytes as text, for pictures inside of pages and sound inside of JSON. Pure.
#pragma once

#include <string>
#include <string_view>

namespace qanat {

// RFC 4648, padded.
std::string to_base64(std::string_view bytes);

}  // namespace qanat
