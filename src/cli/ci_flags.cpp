#include "cli/ci_flags.h"

#include "base/files.h"
#include "cli/terminal_text.h"
#include "report/run_junit.h"

namespace qanat {

void CiFlags::declare(CLI::App& app) {
  app.add_option("--junit", junit_, "write the findings as JUnit XML, for CI servers")
      ->type_name("FILE");
  app.add_option(
         "--annotations", annotations_, "print the findings on stderr for CI: github or none")
      ->check(CLI::IsMember({"github", "none"}).description(""))
      ->type_name("WHOSE")
      ->capture_default_str();
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
