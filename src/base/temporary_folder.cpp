#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/error.h"

namespace qanat {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "qanat-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error("{}: cannot make a temporary folder: {}; try another TMPDIR",
                name,
                std::generic_category().message(errno));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // what is left lies in the folder for temporary files
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace qanat
