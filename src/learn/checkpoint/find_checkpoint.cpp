#include "checkpoint/find_checkpoint.h"

#include <system_error>
#include <utility>

#include "checkpoint_files/checkpoint_seal.h"

namespace qanat {

Result<std::optional<LoadedCheckpoint>> find_checkpoint(const CheckpointSearch& search) {
  std::error_code unknown;  // a folder that cannot be entered is refused below
  if (std::filesystem::exists(search.path / kSealName, unknown)) {
    Result<LoadedCheckpoint> loaded = load_checkpoint(search.path, search.parts);
    if (!loaded) {
      return loaded.failure();
    }
    return std::optional(std::move(loaded).value());
  }
  const CheckpointFolder folder(search.path, 1);
  std::optional<LoadedCheckpoint> found;
  if (search.order != CheckpointOrder::newest) {
    found = folder.best(search.warn, search.parts);
  }
  if (!found && search.order != CheckpointOrder::best) {
    found = folder.newest(search.warn, search.parts);
  }
  return found;
}

}  // namespace qanat
