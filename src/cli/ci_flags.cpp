#include "cli/ci_flags.h"

#include "base/files.h"
#include "cli/terminal_text.h"
#include "locale/messages.h"
#include "report/run_junit.h"

namespace qanat {

void CiFlags::declare(Flags& flags) {
  flags.text("--junit", junit_, "FILE", msg::help_junit{});
  flags.choice("--annotations", annotations_, "WHOSE", {"github", "none"}, msg::help_annotations{});
}

void CiFlags::write(const Diagnosis& diagnosis, const std::string& what, std::ostream& err) const {
  if (!junit_.empty()) {
    write_text_file(junit_, render_junit(diagnosis, what));
  }
  if (annotations_ == "github") {
    err << Control{render_github_annotations(diagnosis)};  // escapes what it names
  }
}

}  // namespace qanat
