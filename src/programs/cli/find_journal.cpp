#include "cli/find_journal.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "history/run_history.h"
#include "locale/message_error.h"
#include "locale/messages/command_output.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxShown = 5;
constexpr int kMaxLooked = 1000;  // a home folder may hold many more

bool is_there(const fs::path& journal) {
  std::error_code ignored;
  return fs::exists(journal, ignored);
}

// Those in `folder` itself that hold a journal, and it, if it does.
std::vector<std::string> run_folders_in(const fs::path& folder) {
  std::vector<std::string> found;
  const auto look_at = [&found](const fs::path& path) {
    if (is_there(path / "journal.jsonl")) {
      found.push_back(path.lexically_normal().string());
    }
  };
  look_at(folder);
  std::error_code error;
  int looked = 0;
  for (fs::directory_iterator at(folder, error), end; !error && at != end && looked < kMaxLooked;
       at.increment(error), ++looked) {
    std::error_code ignored;
    if (at->is_directory(ignored)) {
      look_at(at->path());
    }
  }
  std::ranges::sort(found);
  found.resize(std::min(found.size(), kMaxShown));
  return found;
}

// Below the folder that was named, or else beside it.
std::vector<std::string> run_folders_near(const fs::path& given) {
  std::error_code ignored;
  std::vector<std::string> found;
  if (fs::is_directory(given, ignored)) {
    found = run_folders_in(given);
  }
  if (found.empty()) {
    found = run_folders_in(given.has_parent_path() ? given.parent_path() : ".");
  }
  return found;
}

}  // namespace

fs::path find_journal(const fs::path& given) {
  fs::path journal = journal_of(given);
  if (is_there(journal)) {
    return journal;
  }
  const std::vector<std::string> near = run_folders_near(given);
  throw MessageError(near.empty()
                         ? Message(msg::journal_none{.given = given.string()})
                         : Message(msg::journal_elsewhere{.given = given.string(), .near = near}));
}

}  // namespace qanat
