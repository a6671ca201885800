// What the system refused to do with a file. locale/message_error.h says it in every language.
#pragma once

#include <string>

namespace qanat {

enum class FileAction { open, examine, map, read, create, write, rename, make_folder, lock };

struct FileTrouble {
  std::string path;
  FileAction action = FileAction::open;
  int error = 0;       // errno; 0: it is no regular file
  std::string flag{};  // which names another place; empty: none does

  bool operator==(const FileTrouble&) const = default;
};

// In English.
std::string to_string(const FileTrouble& trouble);

}  // namespace qanat
