#include "locale/message_error.h"

#include <cerrno>
#include <cstring>

#include "locale/messages/data_set_errors.h"
#include "locale/messages/file_errors.h"

namespace qanat {
namespace {

Message refused(FileAction action, const MessageArg& reason) {
  switch (action) {
    case FileAction::open:
    case FileAction::examine:
      return msg::cannot_open{.reason = reason};
    case FileAction::map:
    case FileAction::read:
      return msg::cannot_read{.reason = reason};
    case FileAction::create:
      return msg::cannot_create{.reason = reason};
    case FileAction::write:
      return msg::cannot_write{.reason = reason};
    case FileAction::rename:
      return msg::cannot_rename{.reason = reason};
    case FileAction::make_folder:
      return msg::cannot_make_folder{.reason = reason};
    case FileAction::lock:
      break;
  }
  return msg::cannot_lock{.reason = reason};
}

}  // namespace

MessageArg system_reason(int error) {
  switch (error) {
    case ENOENT:
      return msg::system_no_such_file{};
    case EACCES:
    case EPERM:
      return msg::system_not_permitted{};
    case EEXIST:
      return msg::system_exists{};
    case ENOTDIR:
      return msg::system_not_a_folder{};
    case EISDIR:
      return msg::system_is_a_folder{};
    case EROFS:
      return msg::system_read_only{};
    case ENOSPC:
      return msg::system_no_space{};
    case EDQUOT:
      return msg::system_quota{};
    case EMFILE:
    case ENFILE:
      return msg::system_open_files{};
    case EIO:
      return msg::system_input_output{};
    case ESTALE:
      return msg::system_stale{};
    case ENOMEM:
      return msg::system_no_memory{};
    case EADDRINUSE:
      return msg::system_address_in_use{};
    case EADDRNOTAVAIL:
      return msg::system_address_not_here{};
    default:
      return std::strerror(error);
  }
}

Message to_message(const FileTrouble& trouble) {
  const Message what = msg::set_refused{
      .file = trouble.path,
      .why = trouble.error == 0 ? Message(msg::file_irregular{})
                                : refused(trouble.action, system_reason(trouble.error))};
  return trouble.flag.empty() ? what
                              : Message(msg::try_another{.what = what, .flag = trouble.flag});
}

}  // namespace qanat
