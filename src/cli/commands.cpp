#include "cli/command.h"
#include "cli/version.h"

namespace qanat {

std::vector<CommandEntry> all_commands() {
  return {
      {"version", "what was built, from what, with what", make_version_command},
  };
}

}  // namespace qanat
