// Names of data that lie elsewhere: http://, https:// and s3://.
#pragma once

#include <string_view>

namespace qanat {

bool is_url(std::string_view text);

// Whether a URL carries a password or a signature. What is configured is printed and stored with
// the run, so that such a URL is refused wherever one is given.
bool has_secret(std::string_view url);

}  // namespace qanat
