#include "checkpoint/checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/check.h"
#include "base/error.h"
#include "base/files.h"
#include "base/retry.h"
#include "checkpoint/mapped_tensors.h"
#include "checkpoint_files/checkpoint_seal.h"
#include "checkpoint_files/folder_place.h"
#include "locale/message_error.h"
#include "locale/messages/checkpoint_errors.h"
#include "locale/system_advice.h"

namespace qanat {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWeightsName = "model.safetensors";
constexpr const char* kEmaName = "ema.safetensors";
constexpr const char* kOptimizerName = "optimizer.safetensors";
constexpr const char* kStateName = "state.json";
constexpr const char* kBestName = "best";
constexpr std::string_view kStepPrefix = "step-";
// What begins like this is being written or removed.
constexpr std::string_view kUnfinishedPrefix = ".unfinished-";

std::optional<std::int64_t> to_number(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> step_of(const std::string& name) {
  if (!name.starts_with(kStepPrefix)) {
    return std::nullopt;
  }
  return to_number(std::string_view(name).substr(kStepPrefix.size()));
}

[[noreturn]] void refuse_folder(FileAction action, const fs::path& folder, int error) {
  FileTrouble trouble{.path = folder.string(), .action = action, .error = error};
  std::string what = to_string(trouble);
  throw Error(Failure{.what = std::move(what), .trouble = std::move(trouble)});
}

// Calls `visit(path, name)` for all there is; in a folder that is not there is nothing. One that
// cannot be read may hold anything: throws Error.
void for_each_name(const fs::path& folder,
                   const std::function<void(const fs::path&, const std::string&)>& visit) {
  std::vector<fs::path> found;
  const int refusal = -retry_call([&] {
    std::error_code error;
    found.clear();
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      found.push_back(at->path());
    }
    errno = error.value();
    return error ? -1 : 0;
  });
  if (refusal != 0 && errno != ENOENT && errno != ENOTDIR) {
    refuse_folder(FileAction::read, folder, errno);
  }
  std::ranges::sort(found);
  for (const fs::path& path : found) {
    visit(path, path.filename().string());
  }
}

void sync_folder(const fs::path& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) {
    refuse_folder(FileAction::write, folder, errno);
  }
}

// Keeps others from saving into the same folder at the same time: they would take each other's
// unfinished files for leftovers. Best effort where the file system has no such locks.
UniqueFd lock_folder(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  while (fd && ::flock(fd.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return fd;
}

// A half-removed checkpoint must not look like one: first the name goes, then the content.
void remove_checkpoint(const fs::path& folder) {
  fs::path aside = folder.parent_path() / kUnfinishedPrefix;
  aside += folder.filename().string();
  std::error_code error;
  fs::remove_all(aside, error);
  fs::rename(folder, aside, error);
  if (!error) {
    fs::remove_all(aside, error);
  }
}

struct SealedFolder {
  fs::path path;
  Result<CheckpointSeal> seal;
};

// By the order in which they were saved; those whose seal cannot be read come last.
std::vector<SealedFolder> sealed_folders(const fs::path& folder) {
  std::vector<SealedFolder> found;
  for_each_name(folder, [&](const fs::path& path, const std::string& name) {
    // What was being replaced by one that never came still counts.
    const std::optional<fs::path> place = place_of_replaced(path);
    std::error_code unknown;
    const bool counts = place ? step_of(place->filename().string()) && !fs::exists(*place, unknown)
                              : step_of(name).has_value();
    if (counts) {
      found.push_back({path, read_seal(path)});
    }
  });
  std::ranges::stable_sort(found, {}, [](const SealedFolder& one) {
    return one.seal ? std::pair(one.seal.value().save, one.seal.value().step)
                    : std::pair(std::numeric_limits<std::int64_t>::max(), std::int64_t{0});
  });
  return found;
}

std::int64_t last_save(const fs::path& folder) {
  std::int64_t last = 0;
  for (const SealedFolder& one : sealed_folders(folder)) {
    last = one.seal ? one.seal.value().save : last;
  }
  return last;
}

Result<TensorMap> load_tensors(const fs::path& folder,
                               const CheckpointSeal& seal,
                               const char* name) {
  Result<MappedFile> file = map_sealed_file(folder, seal, name);
  if (!file) {
    return file.failure();
  }
  Result<TensorMap> tensors = map_safetensors(std::move(file).value());
  if (!tensors) {
    return to_failure(msg::checkpoint_file{.file = (folder / name).string(),
                                           .reason = reason_of(tensors.failure())});
  }
  for (const auto& [tensor, values] : tensors.value()) {
    if (values.is_floating_point() && !torch::isfinite(values).all().item<bool>()) {
      return to_failure(
          msg::checkpoint_diverged{.file = (folder / name).string(), .tensor = tensor});
    }
  }
  return tensors;
}

Result<nlohmann::json> load_state(const fs::path& folder, const CheckpointSeal& seal) {
  const Result<std::string> content = read_sealed_file(folder, seal, kStateName);
  if (!content) {
    return content.failure();
  }
  nlohmann::json state = nlohmann::json::parse(content.value(), nullptr, false);
  if (state.is_discarded()) {
    return to_failure(msg::checkpoint_no_json{.file = (folder / kStateName).string()});
  }
  return state;
}

// Everything but the seal, which gets the lengths and checksums of the files.
void write_files(const fs::path& folder, const Checkpoint& checkpoint, CheckpointSeal& seal) {
  make_folders(folder);
  const std::map<std::string, std::string> metadata = {{"step", std::to_string(seal.step)}};
  write_safetensors(folder / kWeightsName, checkpoint.weights, metadata);
  write_safetensors(folder / kEmaName, checkpoint.ema, metadata);
  write_safetensors(folder / kOptimizerName, checkpoint.optimizer, metadata);
  write_text_file(
      folder / kStateName,
      checkpoint.state.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  for (const char* name : {kWeightsName, kEmaName, kOptimizerName, kStateName}) {
    const Result<MappedFile> file = MappedFile::open(folder / name);
    if (!file) {
      throw Error(file.failure());
    }
    const std::span<const std::byte> bytes = file.value().bytes();
    seal.files[name] =
        seal_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
}

void write_seal(const fs::path& folder, const CheckpointSeal& seal) {
  write_text_file(folder / kSealName, to_text(seal));
  sync_folder(folder);
}

// The seals are in the order of saving; what cannot be read is not the best.
const SealedFolder* find_best(const std::vector<SealedFolder>& found) {
  const SealedFolder* best = nullptr;
  for (const SealedFolder& one : found) {
    best = one.seal && one.seal.value().best ? &one : best;
  }
  return best;
}

// Than that of `step`. Of a folder that cannot be read nothing is known.
bool has_others(const fs::path& folder, std::int64_t step) {
  try {
    return std::ranges::any_of(sealed_folders(folder), [step](const SealedFolder& one) {
      return one.seal && one.seal.value().step != step;
    });
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Result<LoadedCheckpoint> load_checkpoint(const fs::path& folder, const CheckpointParts& parts) {
  const Result<CheckpointSeal> seal = read_seal(folder);
  if (!seal) {
    return seal.failure();
  }
  if (const auto named = step_of(folder.filename().string());
      named && *named != seal.value().step) {
    return to_failure(msg::seal_other_step{
        .file = (folder / kSealName).string(), .step = seal.value().step, .folder = *named});
  }
  Result<nlohmann::json> state = load_state(folder, seal.value());
  if (!state) {
    return state.failure();
  }
  LoadedCheckpoint loaded{.step = seal.value().step, .folder = folder};
  loaded.checkpoint.state = std::move(state).value();
  struct Part {
    bool wanted;
    const char* name;
    TensorMap& tensors;
  };
  Part all[] = {{parts.weights, kWeightsName, loaded.checkpoint.weights},
                {parts.ema, kEmaName, loaded.checkpoint.ema},
                {parts.optimizer, kOptimizerName, loaded.checkpoint.optimizer}};
  for (Part& part : all) {
    if (!part.wanted) {
      continue;
    }
    Result<TensorMap> tensors = load_tensors(folder, seal.value(), part.name);
    if (!tensors) {
      return tensors.failure();
    }
    part.tensors = std::move(tensors).value();
  }
  return loaded;
}

CheckpointFolder::CheckpointFolder(fs::path path, int keep) : path_(std::move(path)), keep_(keep) {
  QANAT_CHECK(keep >= 1) << keep;
}

fs::path CheckpointFolder::step_folder(std::int64_t step) const {
  return path_ / fmt::format("{}{:09}", kStepPrefix, step);
}

void CheckpointFolder::save(std::int64_t step, const Checkpoint& checkpoint, bool best) {
  QANAT_CHECK(step >= 0) << step;
  const fs::path unfinished =
      path_ / fmt::format("{}{}", kUnfinishedPrefix, step_folder(step).filename().string());
  std::error_code ignored;
  try {
    make_folders(path_, "--checkpoint-dir");
    const UniqueFd lock = lock_folder(path_);
    remove_leftovers();
    CheckpointSeal seal{.step = step, .save = last_save(path_) + 1, .best = best};
    write_files(unfinished, checkpoint, seal);
    write_seal(unfinished, seal);
    put_in_place(unfinished, step_folder(step));
    sync_folder(path_);
    fs::remove_all(unfinished, ignored);  // what had this step before
    if (best) {
      write_text_file(path_ / kBestName, fmt::format("{}\n", step));
    }
    remove_surplus();
  } catch (const Error& refused) {
    fs::remove_all(unfinished, ignored);
    const auto reason = reason_of(refused);
    const auto advice = system_advice(errno_of(refused), path_.string());
    Failure failure = to_failure(
        has_others(path_, step)
            ? Message(msg::checkpoint_not_saved{.step = step, .reason = reason, .advice = advice})
            : msg::checkpoint_first_not_saved{.step = step, .reason = reason, .advice = advice});
    failure.trouble = refused.failure().trouble;
    throw Error(std::move(failure));
  }
}

// Also what AtomicFile leaves of a mark when the process is killed.
void CheckpointFolder::remove_leftovers() const {
  const std::string half_mark = std::string(kBestName) + ".part-";
  for_each_name(path_, [&](const fs::path& path, const std::string& name) {
    std::error_code error;
    if (const std::optional<fs::path> place = place_of_replaced(path)) {
      fs::rename(path, *place, error);
      if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
        fs::remove_all(path, error);  // its place was taken by what replaced it
      }
    } else if (name.starts_with(kUnfinishedPrefix) || name.starts_with(half_mark)) {
      fs::remove_all(path, error);
    }
  });
}

void CheckpointFolder::remove_surplus() const {
  std::vector<SealedFolder> found = sealed_folders(path_);
  std::erase_if(found, [](const SealedFolder& one) { return !one.seal; });
  const SealedFolder* best = find_best(found);
  const auto keep = static_cast<std::size_t>(keep_);
  for (std::size_t i = 0; i + keep < found.size(); ++i) {
    if (&found[i] != best) {
      remove_checkpoint(found[i].path);
    }
  }
}

std::optional<LoadedCheckpoint> CheckpointFolder::newest(const WarnFn& warn,
                                                         const CheckpointParts& parts) const {
  std::vector<SealedFolder> found = sealed_folders(path_);
  std::ranges::reverse(found);
  for (const SealedFolder& one : found) {
    Result<LoadedCheckpoint> loaded = load_checkpoint(one.path, parts);
    if (loaded) {
      return std::move(loaded).value();
    }
    if (warn) {
      warn(msg::checkpoint_passed_over{.reason = reason_of(loaded.failure())});
    }
  }
  return std::nullopt;
}

std::optional<LoadedCheckpoint> CheckpointFolder::best(const WarnFn& warn,
                                                       const CheckpointParts& parts) const {
  const std::vector<SealedFolder> found = sealed_folders(path_);
  const SealedFolder* best = find_best(found);
  if (best == nullptr) {
    return std::nullopt;
  }
  Result<LoadedCheckpoint> loaded = load_checkpoint(best->path, parts);
  if (loaded) {
    return std::move(loaded).value();
  }
  if (warn) {
    warn(msg::checkpoint_best_damaged{.reason = reason_of(loaded.failure())});
  }
  return std::nullopt;
}

std::vector<std::int64_t> CheckpointFolder::steps() const {
  std::vector<std::int64_t> steps;
  for (const SealedFolder& one : sealed_folders(path_)) {
    if (one.seal) {
      steps.push_back(one.seal.value().step);
    }
  }
  return steps;
}

}  // namespace qanat
