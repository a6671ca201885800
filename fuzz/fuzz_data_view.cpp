// Any bytes as a view of a data set: each line that is taken keeps its promises.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dataset/data_view.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto view = qanat::parse_view({reinterpret_cast<const char*>(data), size});
  if (!view) {
    return 0;
  }
  for (const qanat::ViewLine& line : view.value().lines) {
    QANAT_CHECK(!line.id.empty()) << "line " << line.line;
    QANAT_CHECK((line.action == qanat::ViewAction::trim) == line.kept.has_value())
        << "line " << line.line;
  }
  return 0;
}
