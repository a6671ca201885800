#include "dataset/manifest.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/url.h"
#include "dataset/layout.h"
#include "locale/message_error.h"
#include "locale/messages/data_set_errors.h"
#include "locale/messages/training.h"

namespace qanat {
namespace {

constexpr std::string_view kTrainFile = "metadata_train.csv";
constexpr std::string_view kValidationFile = "metadata_eval.csv";
constexpr std::string_view kWholeFile = "metadata.csv";

// Throws Error when there is none that is known.
Layout layout_at(const std::filesystem::path& data) {
  if (is_url(data.string())) {
    return layout_of_url(data.string());
  }
  std::error_code error;
  if (!std::filesystem::exists(data, error)) {
    const std::filesystem::path pattern = std::filesystem::absolute(data, error);
    if (std::optional<Layout> layout = layout_of_pattern(pattern.lexically_normal().string())) {
      return *std::move(layout);
    }
    throw MessageError(msg::set_not_found{.data = data.string(), .manifest = kWholeFile});
  }
  const std::filesystem::path absolute = std::filesystem::absolute(data, error);
  if (!std::filesystem::is_directory(absolute, error)) {
    return layout_of_file(absolute.lexically_normal());
  }
  const std::filesystem::path root = (absolute / "").lexically_normal().parent_path();
  std::optional<Layout> layout = recognize_layout(root);
  if (!layout) {
    throw MessageError(msg::set_no_manifest{.folder = root.string(),
                                            .whole = kWholeFile,
                                            .train = kTrainFile,
                                            .validation = kValidationFile});
  }
  return *std::move(layout);
}

}  // namespace

Manifest read_manifest(const ManifestOptions& options) {
  Manifest manifest = scan_manifest(options);
  if (const std::optional<Message> why = why_unusable(manifest)) {
    throw MessageError(*why);
  }
  return manifest;
}

std::optional<Message> why_unusable(const Manifest& manifest) {
  if (!manifest.utterances.empty()) {
    return std::nullopt;
  }
  const std::string names = fmt::format("{}", fmt::join(manifest.sources, ", "));
  const std::string where = (manifest.root / names).string();
  const auto first =
      std::ranges::find(manifest.problems, Severity::error, [](const DatasetProblem& problem) {
        return severity_of(problem.kind);
      });
  if (first == manifest.problems.end()) {
    return msg::set_no_rows{.file = where};
  }
  return msg::set_no_usable_row{.file = where,
                                .rows = manifest.num_rows,
                                .line = plain(first->line, 0),
                                .detail = first->detail,
                                .what = explain(first->kind)};
}

void check_manifest_exists(const std::filesystem::path& data) {
  layout_at(data);
}

Manifest scan_manifest(const ManifestOptions& options) {
  return read_layout(layout_at(options.data), options);
}

std::vector<MessageArg> reading_notes(const Manifest& manifest) {
  std::vector<MessageArg> notes;
  for (const DatasetProblem& problem : manifest.problems) {
    const std::string file = manifest.sources.at(problem.source);
    if (problem.kind == ProblemKind::column_order) {
      const auto& seen = std::get<Message>(problem.detail.value());
      notes.emplace_back(msg::set_column_order{.file = file, .columns = seen.args.front()});
    } else if (problem.kind == ProblemKind::layout) {
      notes.emplace_back(
          msg::set_refused{.file = (manifest.root / file).string(), .why = problem.detail});
    }
  }
  return notes;
}

Manifest select(const Manifest& manifest, std::span<const std::uint32_t> items) {
  Manifest part{.root = manifest.root,
                .sources = manifest.sources,
                .utterances = {},
                .problems = {},
                .num_rows = static_cast<std::int64_t>(items.size()),
                .content_hash = manifest.content_hash,
                .containers = manifest.containers,
                .ahead = manifest.ahead};
  part.utterances.reserve(items.size());
  for (const std::uint32_t item : items) {
    part.utterances.push_back(manifest.utterances[item]);
  }
  return part;
}

std::int64_t num_left_out(const Manifest& manifest) {
  return std::ranges::count_if(manifest.problems, [](const DatasetProblem& problem) {
    return severity_of(problem.kind) == Severity::error;
  });
}

std::filesystem::path audio_path(const Manifest& manifest, const Utterance& utterance) {
  return manifest.root / utterance.audio;
}

std::vector<ClipPlace> places_of(const Manifest& manifest, std::span<const std::uint32_t> items) {
  std::vector<ClipPlace> places;
  places.reserve(items.size());
  for (const std::uint32_t item : items) {
    const ClipPlace& place = manifest.utterances[item].place;
    if (place.container != 0) {
      places.push_back(place);
    }
  }
  return places;
}

const ClipContainer* container_of(const Manifest& manifest, const Utterance& utterance) {
  const std::uint32_t number = utterance.place.container;
  return number == 0 || !manifest.containers ? nullptr : manifest.containers->at(number - 1).get();
}

}  // namespace qanat
