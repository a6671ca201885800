#include "app/run_page.h"

#include "base/files.h"
#include "report/run_html.h"

namespace qanat {

void write_run_page(const RunRecord& record,
                    const Diagnosis& diagnosis,
                    const std::filesystem::path& journal,
                    const std::filesystem::path& page,
                    const Translator& words) {
  write_text_file(page,
                  render_html({.summary = record.summary,
                               .history = record.history,
                               .diagnosis = diagnosis,
                               .words = words,
                               .files = files_beside(journal, page)}));
}

}  // namespace qanat
