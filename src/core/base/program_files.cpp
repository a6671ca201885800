#include "base/program_files.h"

#include <string>
#include <system_error>

namespace qanat {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  return unknown ? fs::path() : self.parent_path();
}

fs::path shared_file(std::string_view name, const fs::path& program) {
  if (program.empty()) {
    return {};
  }
  const fs::path beside = program.parent_path() / "share" / "qanat" / name;
  const fs::path above = program.parent_path().parent_path() / "share" / "qanat" / name;
  std::error_code unknown;
  return !fs::exists(beside, unknown) && fs::exists(above, unknown) ? above : beside;
}

fs::path start_weights(const fs::path& program) {
  return shared_file("start", program);
}

}  // namespace qanat
