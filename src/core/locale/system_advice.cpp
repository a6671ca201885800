#include "locale/system_advice.h"

#include <cerrno>

#include "locale/messages/file_errors.h"

namespace qanat {

Message system_advice(int error, const std::string& folder) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return msg::advice_space{.folder = folder};
    case EACCES:
    case EPERM:
      return msg::advice_permission{.folder = folder};
    case EROFS:
      return msg::advice_read_only{.folder = folder};
    case EMFILE:
    case ENFILE:
      return msg::advice_open_files{};
    case ENOMEM:
      return msg::advice_memory{};
    default:
      return msg::advice_disk{.folder = folder};
  }
}

}  // namespace qanat
